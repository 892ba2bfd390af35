import type { Member } from "../api/teams";
import { shownName } from "../permissions/approvers";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";

interface RemoveMemberProps {
  member: Member;
  isMe: boolean;
  teamName: string;
  asking: boolean;
  onClose: () => void;
  action: { remove: () => Promise<boolean>; busy: boolean; error: unknown };
}

/** Confirmation with what is lost and what is kept when a member leaves or is removed. */
export function RemoveMember({ member, isMe, teamName, asking, onClose, action }: RemoveMemberProps) {
  const verb = isMe ? "Leave" : "Remove";
  const who = isMe ? "You" : shownName(member.user);
  const remove = async () => {
    if (await action.remove()) onClose();
  };
  return (
    <Dialog
      open={asking}
      onClose={onClose}
      title={isMe ? `Leave ${teamName}?` : `Remove ${shownName(member.user)} from ${teamName}?`}
    >
      <div className="confirm stack gap-16">
        <dl>
          <div>
            <dt>Lost</dt>
            <dd>
              {who} {isMe ? "lose" : "loses"} access to the team. Open pages and tokens for this team stop
              working at once.
            </dd>
          </div>
          <div>
            <dt>Kept</dt>
            <dd>Sessions, workspaces and share links stay with the team.</dd>
          </div>
        </dl>
        {action.error !== null && <Problem error={action.error} />}
        <div className="flow end">
          <button type="button" className="button" onClick={onClose}>
            Cancel
          </button>
          <button
            type="button"
            className="button danger"
            disabled={action.busy}
            onClick={() => void remove()}
          >
            <Icon name="user" size={14} /> {verb}
          </button>
        </div>
      </div>
    </Dialog>
  );
}
