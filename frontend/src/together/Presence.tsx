// People who have the session open, and who is driving it.
import type { Watcher } from "../api/frames";
import { useMe } from "../app/queries";
import { plural } from "../lib/format";
import { shownName } from "../permissions/approvers";
import { useLive } from "../store/SessionContext";
import "./Presence.css";

const MAX_SHOWN = 4;

/** Returns initials: "AO" for "Ann Other", the first letter for an e-mail address. */
export function initials(name: string): string {
  const words =
    name
      .split("@")[0]
      ?.split(/[\s._-]+/u)
      .filter(Boolean) ?? [];
  return words
    .slice(0, 2)
    .map((word) => [...word][0]?.toUpperCase() ?? "")
    .join("");
}

export function watcherText(watcher: Watcher, mine: boolean): string {
  const who = mine ? "You" : shownName(watcher.person);
  if (watcher.drives) return `${who}: driving`;
  return `${who}: ${watcher.acts ? "here" : "watching"}`;
}

export function Presence() {
  const watchers = useLive((state) => state.watchers);
  const me = useMe().data?.user.id;
  const others = watchers.filter((watcher) => watcher.person.id !== me);
  if (others.length === 0) return null;
  const shown = watchers.slice(0, MAX_SHOWN);
  return (
    <ul
      className="presence flex gap-0"
      data-testid="presence"
      aria-label={plural(watchers.length, "person", "people")}
    >
      {shown.map((watcher) => (
        <li
          key={watcher.person.id}
          className={`watcher semibold ${watcher.drives ? "drives" : ""}`}
          title={watcherText(watcher, watcher.person.id === me)}
        >
          <span aria-hidden="true">{initials(shownName(watcher.person))}</span>
          <span className="sr-only">{watcherText(watcher, watcher.person.id === me)}</span>
        </li>
      ))}
      {watchers.length > MAX_SHOWN && (
        <li className="watcher semibold more">+{watchers.length - MAX_SHOWN}</li>
      )}
    </ul>
  );
}
