import { useState } from "react";
import { useLocation } from "wouter";
import { changeSession } from "../api/endpoints";
import { deleteSession, type SessionMark } from "../api/sessions";
import type { Session } from "../api/types";
import { usePerson } from "../app/person";
import { refreshSessions } from "../app/queries";
import { isAdmin, mayStart } from "../permissions/approvers";
import { ConfirmDialog, Losses } from "../ui/ConfirmDialog";
import { Icon, type IconName } from "../ui/Icon";
import { Menu } from "../ui/Menu";
import { EditSession } from "./EditSession";
import { mark } from "./marks";

interface SessionMenuProps {
  session: Session;
  own: SessionMark | undefined;
  /** Shows the answer of the server at once, where the session is on screen. */
  onChanged?: (session: Session) => void;
}

interface Item {
  label: string;
  icon: IconName;
  run: () => unknown;
}

type Asking = "edit" | "delete" | null;

/** What a person can do with a session: pin, mark as unread, rename, label, archive and delete. */
export function SessionMenu({ session, own, onChanged }: SessionMenuProps) {
  const [asking, setAsking] = useState<Asking>(null);
  const [location, go] = useLocation();
  const person = usePerson(session.project_id);
  const isOwn = session.created_by?.id === person.id || isAdmin(person.role);
  const mayAct = mayStart(person.role) && !session.parent_id;
  const title = session.title || "Untitled session";
  const change = async (next: Parameters<typeof changeSession>[1]) => {
    const changed = await changeSession(session.id, next);
    onChanged?.(changed);
    refreshSessions();
  };
  const remove = async () => {
    await deleteSession(session.id);
    if (location.startsWith(`/sessions/${session.id}`)) go(`/projects/${session.project_id}`);
    refreshSessions();
  };
  const items: Item[] = [
    {
      label: own?.pinned ? "Unpin" : "Pin",
      icon: "pin",
      run: () => mark(session.id, { pinned: !own?.pinned }),
    },
    {
      label: own?.unread ? "Mark as read" : "Mark as unread",
      icon: "info",
      run: () => mark(session.id, { seen: !!own?.unread }),
    },
    ...(mayAct ? [{ label: "Rename and label…", icon: "edit", run: () => setAsking("edit") } as Item] : []),
    ...(mayAct && isOwn
      ? [
          {
            label: session.archived ? "Restore from the archive" : "Archive",
            icon: "box",
            run: () => change({ archived: !session.archived }),
          } as Item,
          { label: "Delete…", icon: "trash", run: () => setAsking("delete") } as Item,
        ]
      : []),
  ];
  return (
    <>
      <Actions label={`Actions for ${title}`} items={items} />
      {asking === "edit" && (
        <EditSession session={session} mayRename={isOwn} onSave={change} onClose={() => setAsking(null)} />
      )}
      <ConfirmDialog
        open={asking === "delete"}
        title="Delete this session"
        verb="Delete"
        icon="trash"
        onConfirm={remove}
        onClose={() => setAsking(null)}
      >
        <p className="break-anywhere">Delete “{title}”? This cannot be undone.</p>
        <Losses
          lost="The conversation with its files, comments and share links, for everybody."
          kept="The workspace and its files."
        />
      </ConfirmDialog>
    </>
  );
}

/** A button with the actions. It says if one failed. */
function Actions({ label, items }: { label: string; items: readonly Item[] }) {
  const [failed, setFailed] = useState("");
  const run = async (item: Item) => {
    setFailed("");
    try {
      await item.run();
    } catch (error) {
      setFailed(error instanceof Error ? error.message : "The session could not be changed. Try again.");
    }
  };
  return (
    <>
      <Menu
        className="icon-button session-menu-button"
        label={label}
        title={failed || label}
        entries={() => items.map((item) => ({ ...item, run: () => run(item) }))}
      >
        <Icon name={failed ? "warning" : "dots"} />
      </Menu>
      {failed && (
        <span className="sr-only" role="alert">
          {failed}
        </span>
      )}
    </>
  );
}
