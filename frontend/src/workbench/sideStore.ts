// The state of a session's side panel: the shown tab, the open sections of Details, and the open file.
import { createStore } from "zustand/vanilla";
import { RIGHT_DRAWER, shellStore } from "../app/shellStore";

export const TABS = ["Diff", "Files", "Terminal", "Preview", "Details"] as const;
export type Tab = (typeof TABS)[number];

export const SECTIONS = ["Todos", "Context", "Cost", "Rules", "Memory", "Configuration"] as const;
export type Section = (typeof SECTIONS)[number];

export interface OpenFile {
  path: string;
  /** From 1; 0 if no line is meant. */
  line: number;
}

interface SideState {
  tab: Tab;
  file: OpenFile | null;
  open: readonly Section[];
}

export const sideStore = createStore<SideState>(() => ({
  tab: "Diff",
  file: null,
  open: ["Todos", "Context"],
}));

/** Shows a tab of the side panel, also where the panel is hidden or a drawer. */
export function showTab(tab: Tab): void {
  sideStore.setState({ tab });
  const isDrawer = window.matchMedia(RIGHT_DRAWER).matches;
  shellStore.setState(isDrawer ? { rightDrawer: true, leftDrawer: false } : { right: true });
}

/** Shows a file of the workspace in the side panel, at a line. */
export function openFile(path: string, line = 0): void {
  sideStore.setState({ file: { path, line } });
  showTab("Files");
}

export function setSection(section: Section, isOpen: boolean): void {
  const others = sideStore.getState().open.filter((name) => name !== section);
  sideStore.setState({ open: isOpen ? [...others, section] : others });
}
