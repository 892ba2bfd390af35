import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
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
  return (
    <>
      <Section
        title="E-mail"
        about="At most one e-mail every 15 minutes, about what you have not seen. It links to the session and contains nothing from it."
      >
        <WaitingFields choice={data} busy={action.busy} onChange={change} />
        <NewsFields choice={data} busy={action.busy} onChange={change} />
        {action.error !== null && <Problem error={action.error} />}
      </Section>
      <QuietHours choice={data} onChange={change} busy={action.busy} />
    </>
  );
}

interface FieldsProps {
  choice: Choice;
  busy: boolean;
  onChange: (part: Partial<Choice>) => Promise<boolean>;
}

function WaitingFields({ choice, busy, onChange }: FieldsProps) {
  const delays = [...new Set([...DELAY_MINUTES, choice.delay_minutes])].sort((a, b) => a - b);
  return (
    <>
      <label className="field">
        When an agent waits for an answer
        <select
          value={choice.mail}
          disabled={busy}
          onChange={(event) => void onChange({ mail: event.target.value as Choice["mail"] })}
        >
          <OptionList of={Object.entries(EMAIL_LABELS)} />
        </select>
      </label>
      {(choice.mail !== "off" || choice.news.length > 0) && (
        <label className="field">
          After
          <select
            value={choice.delay_minutes}
            disabled={busy}
            onChange={(event) => void onChange({ delay_minutes: Number(event.target.value) })}
          >
            <OptionList
              of={delays.map((minutes) => [minutes, minutes < 60 ? `${minutes} min` : `${minutes / 60} h`])}
            />
          </select>
        </label>
      )}
    </>
  );
}

const NEWS: Readonly<Record<Choice["news"][number], string>> = {
  turn_ended: "The work that I started has ended",
  turn_failed: "The work that I started has failed",
  comment: "Somebody commented on the changes of my session",
  checks_failed: "Checks of my session's pull request have failed",
  budget: "A budget of mine, or one that I can raise, is nearly or fully used",
};

function NewsFields({ choice, busy, onChange }: FieldsProps) {
  const kinds = Object.entries(NEWS) as [Choice["news"][number], string][];
  return (
    <fieldset className="stack gap-6">
      <legend>Also when</legend>
      {kinds.map(([kind, label]) => (
        <label key={kind} className="line gap-6">
          <input
            type="checkbox"
            checked={choice.news.includes(kind)}
            disabled={busy}
            onChange={({ target }) =>
              void onChange({
                news: target.checked ? [...choice.news, kind] : choice.news.filter((each) => each !== kind),
              })
            }
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}

const NIGHT = { begin: "22:00", end: "07:00" };
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Hours of the day without e-mails, in the time zone of the browser in which they were set. */
function QuietHours({ choice, busy, onChange }: FieldsProps) {
  const hours = choice.quiet_hours;
  const [typed, setTyped] = useState(hours ?? NIGHT);
  const isChanged = !!hours && (typed.begin !== hours.begin || typed.end !== hours.end);
  const save = (event: FormEvent) => {
    event.preventDefault();
    void onChange({ quiet_hours: typed, time_zone: ownZone() });
  };
  return (
    <Section
      title="Quiet hours"
      about="No e-mail is sent in these hours. What you have not seen or answered when they end comes in one e-mail."
    >
      <label className="line gap-6">
        <input
          type="checkbox"
          checked={hours !== null}
          disabled={busy}
          onChange={({ target }) =>
            void onChange({ quiet_hours: target.checked ? typed : null, time_zone: ownZone() })
          }
        />
        Send me nothing during the night
      </label>
      {hours && (
        <form className="flow gap-8" onSubmit={save}>
          {(["begin", "end"] as const).map((name) => (
            <label key={name} className="field">
              {name === "begin" ? "From" : "Until"}
              <input
                type="time"
                required
                value={typed[name]}
                onChange={({ target }) => setTyped({ ...typed, [name]: target.value })}
              />
            </label>
          ))}
          {isChanged && (
            <button type="submit" className="button" disabled={busy}>
              Save
            </button>
          )}
          <span className="small muted">Times in {choice.time_zone}.</span>
        </form>
      )}
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
