// Which tab of a session's side panel is shown, and which file is open in it.
import { createStore } from "zustand/vanilla";
import { RIGHT_DRAWER, shellStore } from "../app/shellStore";

export const TABS = ["Changes", "Files", "Todos", "Rules", "Context", "Config", "Cost"] as const;
export type Tab = (typeof TABS)[number];

export interface OpenFile {
  path: string;
  /** From 1; 0 if no line is meant. */
  line: number;
}

interface SideState {
  tab: Tab;
  file: OpenFile | null;
}

export const sideStore = createStore<SideState>(() => ({ tab: "Changes", file: null }));

/** Shows a file of the workspace in the side panel, at a line. */
export function openFile(path: string, line = 0): void {
  sideStore.setState({ tab: "Files", file: { path, line } });
  const isDrawer = window.matchMedia(RIGHT_DRAWER).matches;
  shellStore.setState(isDrawer ? { rightDrawer: true, leftDrawer: false } : { right: true });
}
