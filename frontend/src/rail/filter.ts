// The filter of the sessions that the rail lists. It is kept in this browser.
import { createStore } from "zustand/vanilla";
import type { SessionOwner, SessionState } from "../api/sessions";
import { readStored, writeStored } from "../lib/storage";

export const OWNER_LABELS: Readonly<Record<SessionOwner, string>> = { team: "Team", mine: "Mine" };
export const STATE_LABELS: Readonly<Record<SessionState, string>> = {
  any: "Any state",
  waiting: "Waiting",
  running: "Running",
  idle: "Idle",
  archived: "Archived",
};

interface RailFilter {
  owner: SessionOwner;
  state: SessionState;
  label: string;
}

export const filterStore = createStore<RailFilter>(() => ({
  owner: readStored("rail.owner") === "mine" ? "mine" : "team",
  state: "any",
  label: "",
}));

export function setOwner(owner: SessionOwner): void {
  writeStored("rail.owner", owner === "mine" ? "mine" : null);
  filterStore.setState({ owner });
}

export const setState = (state: SessionState): void => filterStore.setState({ state });

export const setLabel = (label: string): void => filterStore.setState({ label });
