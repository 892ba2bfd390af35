import { changeNotifications } from "../api/together";
import { queryClient } from "../app/queries";
import { CHOICE_KEY, type NoticeChange, useNoticeChoice } from "../notices/choice";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { NoticeTable } from "./NoticeTable";
import { PushBrowsers } from "./PushBrowsers";
import { QuietHours } from "./QuietHours";
import { ThisBrowser } from "./ThisBrowser";

/** What the person is told, in which ways, when, and in which browsers. */
export function Notifications() {
  const { data, error } = useNoticeChoice();
  const action = useAction();
  if (error) return <Problem error={error} />;
  if (!data) return <Skeleton rows={6} label="Loading your notification settings" />;
  const change = (part: NoticeChange) =>
    action.run(async () => {
      queryClient.setQueryData(CHOICE_KEY, await changeNotifications({ ...data, ...part }));
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
