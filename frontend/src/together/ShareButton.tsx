import { useState } from "react";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { ShareDialog } from "./ShareDialog";

/** Says who sees the session, and opens what can be done about it. */
export function ShareButton({ sessionId }: { sessionId: string }) {
  const sharedWith = useLive((state) => state.session?.shared_with);
  const isChild = useLive((state) => !!state.session?.parent_id);
  const [isOpen, setOpen] = useState(false);
  if (!sharedWith || isChild) return null;
  const isPrivate = sharedWith === "private";
  return (
    <>
      <button
        type="button"
        className={`share-button ${isPrivate ? "private" : ""}`}
        data-testid="share-button"
        title={isPrivate ? "Private: only some people see this session" : "Your team sees this session"}
        onClick={() => setOpen(true)}
      >
        <Icon name={isPrivate ? "shield" : "user"} size={14} />
        <span>{isPrivate ? "Private" : "Share"}</span>
      </button>
      <ShareDialog sessionId={sessionId} open={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
