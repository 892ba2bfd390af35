// Dialog to choose who can see a session, and to manage its share links.
import { useQuery } from "@tanstack/react-query";
import { type Audience, changeAudience, readAudience } from "../api/together";
import { queryClient, refreshSessions } from "../app/queries";
import { shownName } from "../permissions/approvers";
import { useLive } from "../store/SessionContext";
import { Dialog } from "../ui/Dialog";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { AddPeople } from "./AddPeople";
import { ShareLinks } from "./ShareLinks";
import "./share.css";

interface ShareDialogProps {
  sessionId: string;
  open: boolean;
  onClose: () => void;
}

export function ShareDialog({ sessionId, open, onClose }: ShareDialogProps) {
  return (
    <Dialog open={open} onClose={onClose} title="Share this session">
      <AudienceFields sessionId={sessionId} />
      <ShareLinks sessionId={sessionId} />
    </Dialog>
  );
}

function AudienceFields({ sessionId }: { sessionId: string }) {
  const key = ["sessions", "audience", sessionId];
  const { data, error } = useQuery({ queryKey: key, queryFn: () => readAudience(sessionId) });
  const action = useAction();
  const change = (shared_with: Audience["shared_with"], people: readonly string[]) =>
    action.run(async () => {
      queryClient.setQueryData(key, await changeAudience(sessionId, { shared_with, people: [...people] }));
      refreshSessions();
    });
  if (error) return <Problem error={error} />;
  if (!data) return <Skeleton rows={3} label="Loading who can see it" />;
  return (
    <fieldset className="audience stack gap-12" disabled={!data.may_change || action.busy}>
      <legend className="semibold">Who can see it</legend>
      <Choice
        checked={data.shared_with === "team"}
        label="The team"
        hint="Everybody in the team can read it, and members can take part."
        onChoose={() => void change("team", [])}
      />
      <Choice
        checked={data.shared_with === "private"}
        label="Only some people"
        hint="Only you and people you add can see it and answer its requests. Admins can see that it exists, but not its content."
        onChoose={() => void change("private", [])}
      />
      {data.shared_with === "private" && (
        <Guests audience={data} onChange={(ids) => change("private", ids)} />
      )}
      <WorkspaceWarning isPrivate={data.shared_with === "private"} />
      {!data.may_change && <p className="muted">Only the person who started the session can change this.</p>}
      {action.error !== null && <Problem error={action.error} />}
    </fieldset>
  );
}

interface ChoiceProps {
  checked: boolean;
  label: string;
  hint: string;
  onChoose: () => void;
}

function Choice({ checked, label, hint, onChoose }: ChoiceProps) {
  return (
    <label className="flex align-start">
      <input type="radio" name="audience" checked={checked} onChange={onChoose} />
      <span>
        <strong>{label}</strong>
        <span className="block muted">{hint}</span>
      </span>
    </label>
  );
}

interface GuestsProps {
  audience: Audience;
  onChange: (ids: string[]) => Promise<boolean>;
}

function Guests({ audience, onChange }: GuestsProps) {
  const teamId = useLive((state) => state.session?.project_id ?? "");
  const ids = audience.people.map((person) => person.id);
  return (
    <div className="guests">
      <ul className="stack">
        {audience.started_by && <li className="cluster">{shownName(audience.started_by)}, who started it</li>}
        {audience.people.map((person) => (
          <li key={person.id} className="cluster">
            {shownName(person)}
            {audience.may_change && (
              <button
                type="button"
                className="link"
                onClick={() => void onChange(ids.filter((id) => id !== person.id))}
              >
                Remove<span className="sr-only"> {shownName(person)}</span>
              </button>
            )}
          </li>
        ))}
      </ul>
      {audience.may_change && (
        <AddPeople
          projectId={teamId}
          known={[...ids, audience.started_by?.id ?? ""]}
          onAdd={(id) => onChange([...ids, id])}
        />
      )}
    </div>
  );
}

/** Warning that the files of a private session's workspace are visible to the team. */
function WorkspaceWarning({ isPrivate }: { isPrivate: boolean }) {
  const name = useLive((state) => state.workspace?.name ?? "");
  if (!isPrivate) return null;
  return (
    <p className="audience-note" role="note">
      The files of the workspace {name && `“${name}” `}stay visible to the team. Use a separate workspace to
      keep them apart from other work.
    </p>
  );
}
