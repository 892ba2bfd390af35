import { type ComponentType, type ReactNode, Suspense } from "react";
import { Skeleton } from "../ui/Notice";
import { type Level, levelName } from "./nav";
import { SettingsFrame } from "./SettingsFrame";

interface Tab<Props> {
  name: string;
  label: string;
  Body: ComponentType<Props>;
}

interface SettingsTabsProps<Props> {
  level: Level;
  /** The pages that the person can open. */
  tabs: readonly Tab<Props>[];
  /** Name of the page in the URL; the first one is shown if there is no such page. */
  requested: string | undefined;
  bodyProps: Props;
  /** More above the page. */
  children?: ReactNode;
}

/** A page of the settings area, whose content is loaded when it is first shown. */
export function SettingsTabs<Props extends object>(props: SettingsTabsProps<Props>) {
  const { level, tabs, requested, bodyProps, children } = props;
  const shown = tabs.find((tab) => tab.name === requested) ?? tabs[0];
  if (!shown) return null;
  const { Body } = shown;
  return (
    <SettingsFrame level={level} current={shown.name}>
      <p className="settings-of small muted break-anywhere">{levelName(level)}</p>
      <h1>{shown.label}</h1>
      {children}
      <section className="page-tab" aria-label={shown.label} data-testid="settings-page">
        <Suspense fallback={<Skeleton rows={6} label={`Loading ${shown.label.toLowerCase()}`} />}>
          <Body {...bodyProps} />
        </Suspense>
      </section>
    </SettingsFrame>
  );
}
