// The open panels. They are remembered for wide screens; on narrow ones panels are drawers that start
// closed.
import { createStore } from "zustand/vanilla";
import { readStored, writeStored } from "../lib/storage";

export interface ShellState {
  left: boolean;
  right: boolean;
  leftDrawer: boolean;
  rightDrawer: boolean;
  palette: boolean;
  help: boolean;
  providers: boolean;
  newTeam: boolean;
  newProject: boolean;
  /** The team that the new project is for; "" if the person chooses. */
  newProjectTeam: string;
  /** Counts the times somebody asked for the composer; each gives it the focus. */
  compose: number;
}

export const shellStore = createStore<ShellState>(() => ({
  left: readStored("left") !== "closed",
  right: readStored("right") !== "closed",
  leftDrawer: false,
  rightDrawer: false,
  palette: false,
  help: false,
  providers: false,
  newTeam: false,
  newProject: false,
  newProjectTeam: "",
  compose: 0,
}));

export const LEFT_DRAWER = "(max-width: 719px)";
export const RIGHT_DRAWER = "(max-width: 1099px)";
const matches = (query: string) => window.matchMedia(query).matches;

export function toggleLeft(): void {
  const state = shellStore.getState();
  if (matches(LEFT_DRAWER)) {
    shellStore.setState({ leftDrawer: !state.leftDrawer, rightDrawer: false });
    return;
  }
  writeStored("left", state.left ? "closed" : null);
  shellStore.setState({ left: !state.left });
}

export function toggleRight(): void {
  const state = shellStore.getState();
  if (matches(RIGHT_DRAWER)) {
    shellStore.setState({ rightDrawer: !state.rightDrawer, leftDrawer: false });
    return;
  }
  writeStored("right", state.right ? "closed" : null);
  shellStore.setState({ right: !state.right });
}

export const closeDrawers = (): void => shellStore.setState({ leftDrawer: false, rightDrawer: false });

/** Gives the focus to the composer of this page, or of the next one that has one. */
export const focusComposer = (): void =>
  shellStore.setState((state) => ({ compose: state.compose + 1, leftDrawer: false, rightDrawer: false }));

export type Overlay = "palette" | "help" | "providers" | "newTeam" | "newProject";
export const open = (what: Overlay): void => shellStore.setState({ [what]: true });
/** Opens the dialog for a new project of a team. */
export const askForProject = (teamId: string): void =>
  shellStore.setState({ newProject: true, newProjectTeam: teamId });
export const close = (what: Overlay): void => shellStore.setState({ [what]: false });
