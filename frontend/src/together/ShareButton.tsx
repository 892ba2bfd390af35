import { useState } from "react";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { PrivateMark } from "./PrivateMark";
import { ShareDialog } from "./ShareDialog";
import "./share.css";

/** Shows whether the session is private, and opens the share dialog for people who can use it. */
export function ShareButton({ sessionId }: { sessionId: string }) {
  const sharedWith = useLive((state) => state.session?.shared_with);
  const isChild = useLive((state) => !!state.session?.parent_id);
  const canAct = useLive((state) => state.canAct);
  const [isOpen, setOpen] = useState(false);
  if (!sharedWith || isChild) return null;
  if (!canAct) return <PrivateMark sharedWith={sharedWith} size={14} />;
  const isPrivate = sharedWith === "private";
  return (
    <>
      <button
        type="button"
        className={`share-button inline gap-4 ${isPrivate ? "private" : ""}`}
        data-testid="share-button"
        title={
          isPrivate ? "Private: only some people can see this session" : "Your team can see this session"
        }
        onClick={() => setOpen(true)}
      >
        <Icon name={isPrivate ? "lock" : "user"} size={14} />
        <span className="sr-only-narrow">{isPrivate ? "Private" : "Share"}</span>
      </button>
      <ShareDialog sessionId={sessionId} open={isOpen} onClose={() => setOpen(false)} />
    </>
  );
}
