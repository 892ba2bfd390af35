import type { Member } from "../api/teams";
import { shownName } from "../permissions/approvers";
import { ConfirmDialog, Losses } from "../ui/ConfirmDialog";

interface RemoveMemberProps {
  member: Member;
  isMe: boolean;
  teamName: string;
  asking: boolean;
  onConfirm: () => Promise<void>;
  onClose: () => void;
}

/** Confirmation with what is lost and what is kept when a member leaves or is removed. */
export function RemoveMember({ member, isMe, teamName, asking, onConfirm, onClose }: RemoveMemberProps) {
  return (
    <ConfirmDialog
      open={asking}
      title={isMe ? `Leave ${teamName}?` : `Remove ${shownName(member.user)} from ${teamName}?`}
      verb={isMe ? "Leave" : "Remove"}
      icon="user"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      <Losses
        lost={`${isMe ? "You lose" : `${shownName(member.user)} loses`} access to the team. Open pages and tokens for this team stop working at once.`}
        kept="Sessions, workspaces and share links stay with the team."
      />
    </ConfirmDialog>
  );
}
