import { changeNotifications, readNotifications } from "../api/together";
import { queryClient } from "../app/queries";
import { CHOICE_KEY, useNoticeChoice } from "../notices/choice";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { NoticeTable } from "./NoticeTable";
import type { NoticeFieldsProps } from "./noticeFields";
import { PushBrowsers } from "./PushBrowsers";
import { QuietHours } from "./QuietHours";
import { ThisBrowser } from "./ThisBrowser";

/** What the person is told, in which ways, when, and in which browsers. */
export function Notifications() {
  const { data, error } = useNoticeChoice();
  const action = useAction();
  if (error && !data) return <Problem error={error} />;
  if (!data) return <Skeleton rows={6} label="Loading your notification settings" />;
  const change: NoticeFieldsProps["onChange"] = (part) =>
    action.run(async () => {
      const now = await readNotifications(); // another tab may have changed something else
      const next = { ...now, ...(typeof part === "function" ? part(now) : part) };
      queryClient.setQueryData(CHOICE_KEY, await changeNotifications(next));
    });
  const fields = { choice: data, busy: action.busy, onChange: change };
  return (
    <>
      <NoticeTable {...fields} />
      {action.error !== null && <Problem error={action.error} />}
      <QuietHours {...fields} />
      <ThisBrowser />
      <PushBrowsers />
    </>
  );
}
