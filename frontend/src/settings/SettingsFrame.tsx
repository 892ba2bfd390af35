import type { ReactNode } from "react";
import { Link, useLocation } from "wouter";
import { useMe } from "../app/queries";
import { atPrefix } from "../lib/prefix";
import { Icon } from "../ui/Icon";
import { OptionList } from "../ui/OptionList";
import { GROUP_LABELS, GROUPS } from "./groups";
import { useLevels } from "./levels";
import { type Level, levelId, levelName, pagesOf, pathAt } from "./nav";
import "./settings.css";

interface SettingsFrameProps {
  /** The level of the page; undefined until it is known. */
  level: Level | undefined;
  /** Name of the page in the navigation; "" for a page below none of them. */
  current: string;
  /** Classes of the column, for pages with a bar at their end. */
  columnClass?: string;
  children: ReactNode;
}

/** The one frame of all settings: a choice of the level, the grouped pages of that level, and the page. */
export function SettingsFrame({ level, current, columnClass = "", children }: SettingsFrameProps) {
  return (
    <div className="settings">
      <nav className="settings-nav no-shrink" aria-label="Settings">
        <LevelChoice level={level} current={current} />
        {level && <PageChoice level={level} current={current} />}
        {level && <PageList level={level} current={current} />}
      </nav>
      <div className="page-frame">
        <main className={`page-column vertical ${columnClass}`} id="main">
          {children}
        </main>
      </div>
    </div>
  );
}

interface ChoiceProps {
  level: Level;
  current: string;
}

function LevelChoice({ level, current }: { level: Level | undefined; current: string }) {
  const [, go] = useLocation();
  const levels = useLevels();
  const group = (kind: Level["kind"]) =>
    levels
      .filter((item) => item.kind === kind)
      .map((item): [string, string] => [levelId(item), levelName(item)]);
  const choose = (id: string) => {
    const chosen = levels.find((item) => levelId(item) === id);
    if (chosen) go(pathAt(chosen, current));
  };
  return (
    <select
      className="settings-level medium"
      aria-label="Settings of"
      value={level ? levelId(level) : ""}
      onChange={(event) => choose(event.target.value)}
    >
      {!level && <option value="">Settings</option>}
      <OptionList of={group("account")} />
      <optgroup label="Teams">
        <OptionList of={group("team")} />
      </optgroup>
      <optgroup label="Projects">
        <OptionList of={group("project")} />
      </optgroup>
      <OptionList of={group("site")} />
    </select>
  );
}

/** On narrow screens: the pages as one field. */
function PageChoice({ level, current }: ChoiceProps) {
  const [, go] = useLocation();
  const pages = pagesOf(level);
  return (
    <select
      className="settings-page-choice"
      aria-label="Page of the settings"
      value={current}
      onChange={(event) => go(pathAt(level, event.target.value))}
    >
      {!pages.some(({ name }) => name === current) && <option value={current}>Choose a page</option>}
      {GROUPS.map((group) => (
        <optgroup key={group} label={GROUP_LABELS[group]}>
          <OptionList
            of={pages.filter((item) => item.group === group).map(({ name, label }) => [name, label])}
          />
        </optgroup>
      ))}
    </select>
  );
}

function PageList({ level, current }: ChoiceProps) {
  const pages = pagesOf(level);
  const isOperator = useMe().data?.is_operator ?? false;
  return (
    <div className="settings-list stack gap-16">
      {GROUPS.filter((group) => pages.some((item) => item.group === group)).map((group) => (
        <section key={group} aria-label={GROUP_LABELS[group]}>
          <h2 className="small muted">{GROUP_LABELS[group]}</h2>
          <ul>
            {pages
              .filter((item) => item.group === group)
              .map(({ name, label, href }) => (
                <li key={name}>
                  <Link
                    href={href}
                    className="settings-link line"
                    aria-current={name === current ? "page" : undefined}
                  >
                    {label}
                  </Link>
                </li>
              ))}
          </ul>
        </section>
      ))}
      {level.kind === "site" && isOperator && (
        <a href={atPrefix("/admin/")} className="settings-link line muted">
          Operator pages <Icon name="out" size={12} />
        </a>
      )}
    </div>
  );
}
