import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import {
  type TeamCommits as Commits,
  changeTeamCommits,
  readTeamCommits,
  replaceSigningKey,
} from "../api/repositories";
import { queryClient } from "../app/queries";
import { CopyField } from "../ui/CopyField";
import { ConfirmButton } from "../ui/ExpandableRow";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { type CommitDraft, CommitFields } from "./CommitFields";

const commitsKey = (teamId: string) => ["teams", teamId, "commits"];

/** The team's commit settings. */
export function TeamCommits({ teamId, mayChange }: { teamId: string; mayChange: boolean }) {
  const found = useQuery({ queryKey: commitsKey(teamId), queryFn: () => readTeamCommits(teamId) });
  return (
    <section className="settings-section stack gap-12 ruled-top">
      <h2>Commits</h2>
      <p className="muted">Projects can have settings of their own, under Repository.</p>
      {found.isPending && <Skeleton rows={3} label="Loading the commit settings" />}
      {found.error && !found.data && <Problem error={found.error} onRetry={found.refetch} />}
      {found.data && !(mayChange && found.data.can_edit) && <Summary commits={found.data} />}
      {found.data && mayChange && found.data.can_edit && (
        <CommitForm key={found.data.version} teamId={teamId} now={found.data} />
      )}
      {found.data?.signing_key && (
        <SigningKey teamId={teamId} now={found.data} mayChange={mayChange && found.data.can_edit} />
      )}
    </section>
  );
}

function Summary({ commits }: { commits: Commits }) {
  const { applied } = commits;
  return (
    <p className="break-anywhere">
      {`${applied.author === "person" ? "The person who wrote the prompt" : "The agent"} is the author, the committer is ${applied.committer_name} <${applied.committer_email}>.`}
    </p>
  );
}

function CommitForm({ teamId, now }: { teamId: string; now: Commits }) {
  const [draft, setDraft] = useState<CommitDraft>(now);
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const { author, committer_name, committer_email, co_author, sign_off, sign } = draft;
      const saved = await changeTeamCommits(teamId, {
        author: author ?? "person",
        committer_name,
        committer_email,
        co_author: !!co_author,
        sign_off: !!sign_off,
        sign: !!sign,
        base_version: now.version,
      });
      queryClient.setQueryData(commitsKey(teamId), saved);
    });
  };
  return (
    <form className="settings-form stack gap-16" onSubmit={submit} aria-label="Commits">
      <CommitFields draft={draft} applied={now.applied} onDraft={setDraft} />
      {error !== null && <FieldsProblem error={error} />}
      <div>
        <button type="submit" className="button primary" disabled={busy}>
          Save
        </button>
      </div>
    </form>
  );
}

function SigningKey({ teamId, now, mayChange }: { teamId: string; now: Commits; mayChange: boolean }) {
  const { run, busy, error } = useAction();
  const replace = () =>
    void run(async () => {
      queryClient.setQueryData(commitsKey(teamId), await replaceSigningKey(teamId));
    });
  return (
    <div className="stack gap-6">
      <h3>Key of signatures</h3>
      <p className="muted break-anywhere">
        Register it at your forge as a signing key of the account that has the committer's address.
        Fingerprint: {now.signing_fingerprint}
      </p>
      <CopyField label="Public key of signatures" value={now.signing_key} testId="signing-key" />
      {mayChange && (
        <div>
          <ConfirmButton
            verb="Replace"
            name="the key of signatures"
            lost="New commits are signed with a new key, which you register at the forge. Keep the former key there."
            busy={busy}
            onConfirm={replace}
          />
        </div>
      )}
      {error !== null && <Problem error={error} />}
    </div>
  );
}
