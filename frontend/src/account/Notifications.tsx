import { useQuery } from "@tanstack/react-query";
import { useStore } from "zustand";
import { type Notifications as Choice, changeNotifications, readNotifications } from "../api/together";
import { canNotify, notifyDoneStore, notifyStore, setNotify, setNotifyDone } from "../app/live";
import { queryClient } from "../app/queries";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { useAction } from "../ui/useAction";
import { Section } from "./Section";

const KEY = ["notifications"];
const EMAIL_LABELS: Record<Choice["mail"], string> = {
  off: "Nothing",
  own: "My sessions and what I started",
  all: "Everything I can answer",
};
const DELAY_MINUTES = [1, 5, 15, 30, 60, 240] as const;

/** How the person is notified that an agent waits. */
export function Notifications() {
  return (
    <>
      <EmailSettings />
      <BrowserSettings />
    </>
  );
}

function EmailSettings() {
  const { data, error } = useQuery({ queryKey: KEY, queryFn: readNotifications });
  const action = useAction();
  if (error) return <Problem error={error} />;
  if (!data) return <Skeleton rows={3} label="Loading your notification settings" />;
  const change = (part: Partial<Choice>) =>
    action.run(async () => {
      queryClient.setQueryData(KEY, await changeNotifications({ ...data, ...part }));
    });
  const delays = [...new Set([...DELAY_MINUTES, data.delay_minutes])].sort((a, b) => a - b);
  return (
    <Section
      title="E-mail"
      about="An e-mail when an agent waits for you and you do not have the session open, at most one every 15 minutes. It links to the session and contains nothing from it."
    >
      <label className="field">
        E-mail me about
        <select
          value={data.mail}
          disabled={action.busy}
          onChange={(event) => void change({ mail: event.target.value as Choice["mail"] })}
        >
          <OptionList of={Object.entries(EMAIL_LABELS)} />
        </select>
      </label>
      {data.mail !== "off" && (
        <label className="field">
          After waiting for
          <select
            value={data.delay_minutes}
            disabled={action.busy}
            onChange={(event) => void change({ delay_minutes: Number(event.target.value) })}
          >
            <OptionList
              of={delays.map((minutes) => [minutes, minutes < 60 ? `${minutes} min` : `${minutes / 60} h`])}
            />
          </select>
        </label>
      )}
      {action.error !== null && <Problem error={action.error} />}
    </Section>
  );
}

function BrowserSettings() {
  const { on } = useStore(notifyStore);
  const done = useStore(notifyDoneStore);
  if (!canNotify()) {
    return (
      <Section title="Browser">
        <p className="muted">Notifications are blocked in this browser.</p>
      </Section>
    );
  }
  return (
    <Section title="Browser" about="On this device, while the site is open in a background tab.">
      <label className="line gap-6">
        <input type="checkbox" checked={on} onChange={(event) => void setNotify(event.target.checked)} />
        Notify me when an agent waits for an answer
      </label>
      <label className="line gap-6">
        <input
          type="checkbox"
          checked={on && done.on}
          disabled={!on}
          onChange={(event) => setNotifyDone(event.target.checked)}
        />
        Also when the work in a session of mine has ended
      </label>
    </Section>
  );
}
