import type { ReactNode } from "react";
import type { IconName } from "./Icon";

/** A line between entries. */
export const LINE = "line";

/** An entry of a menu. It runs something, or leads to an address of the interface (`href`) or outside of it (`outside`). */
export interface MenuEntry {
  label: string;
  icon?: IconName;
  /** Shown in place of an icon. */
  mark?: ReactNode;
  /** Smaller text below the label. */
  hint?: string;
  /** Short text at the end of the row: a state, a key. */
  detail?: string;
  /** Whether this entry of several is chosen. */
  isChosen?: boolean;
  isDisabled?: boolean;
  /** Whether the menu stays open after a press. */
  stays?: boolean;
  href?: string;
  outside?: string;
  run?: () => unknown;
}

export type MenuEntries = readonly (MenuEntry | typeof LINE)[];
