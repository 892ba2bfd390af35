import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { useStore } from "zustand";
import { createTeam } from "../api/teams";
import { close, shellStore } from "../app/shellStore";
import { Dialog } from "../ui/Dialog";
import { FieldsProblem } from "../ui/FieldsProblem";
import { useAction } from "../ui/useAction";
import { teamPath } from "./paths";
import { refreshMine } from "./queries";

/** Opened from the menu, the palette and the home page. */
export function CreateTeamDialog() {
  const isOpen = useStore(shellStore, (state) => state.newTeam);
  return (
    <Dialog open={isOpen} onClose={() => close("newTeam")} title="Create a team">
      <CreateTeam />
    </Dialog>
  );
}

function CreateTeam() {
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const team = await createTeam(name);
      await refreshMine();
      close("newTeam");
      go(teamPath(team.id, "invitations"));
    });
  };
  return (
    <form className="confirm" onSubmit={submit}>
      <p className="muted">
        A team shares projects, sessions and policies. You own it, and invite the others.
      </p>
      <label className="field">
        <span>Name</span>
        <input
          // biome-ignore lint/a11y/noAutofocus: the dialog was opened to write it
          autoFocus
          required
          maxLength={120}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      </label>
      {error !== null && <FieldsProblem error={error} />}
      <div className="confirm-foot">
        <button type="button" className="button" onClick={() => close("newTeam")}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={busy || !name.trim()}>
          Create team
        </button>
      </div>
    </form>
  );
}
