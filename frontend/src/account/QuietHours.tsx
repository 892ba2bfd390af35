import { type FormEvent, useState } from "react";
import type { NoticeFieldsProps } from "./noticeFields";
import { Section } from "./Section";

const NIGHT = { begin: "22:00", end: "07:00" };
const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";

/** Hours of the day in which nothing leaves the site, in the time zone of the browser in which they were set. */
export function QuietHours({ choice, busy, onChange }: NoticeFieldsProps) {
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
      about="No e-mail and no push notice is sent in these hours. What you have neither seen nor answered by their end then comes in one e-mail and one push notice."
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
