import { useState } from "react";
import { fileDownload, folderDownload, moveFile, removeFile } from "../api/files";
import { ConfirmDialog } from "../ui/ConfirmDialog";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { NewEntry } from "./NewEntry";
import { PathForm } from "./PathForm";
import { nameOf } from "./paths";
import { refreshFiles } from "./queries";

interface ActionsProps {
  sessionId: string;
  path: string;
  isFolder: boolean;
  /** Called with the new path after a move, and with null after a removal. */
  onMoved?: (path: string | null) => void;
}

/** What a person can do with a file or folder: rename or move, download, delete. */
export function EntryActions({ sessionId, path, isFolder, onMoved }: ActionsProps) {
  const [shown, setShown] = useState<"" | "move" | "remove">("");
  const close = () => setShown("");
  const name = nameOf(path);
  return (
    <span className="file-actions flex">
      {isFolder && <NewEntry sessionId={sessionId} folder={path} />}
      <a
        className="icon-button"
        href={(isFolder ? folderDownload : fileDownload)(sessionId, path)}
        download
        aria-label={isFolder ? `Download ${name} as a zip file` : `Download ${name}`}
      >
        <Icon name="down" size={14} />
      </a>
      <button
        type="button"
        className="icon-button"
        aria-label={`Rename or move ${name}`}
        onClick={() => setShown("move")}
      >
        <Icon name="edit" size={14} />
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label={`Delete ${name}`}
        onClick={() => setShown("remove")}
      >
        <Icon name="trash" size={14} />
      </button>
      <Dialog open={shown === "move"} onClose={close} title={`Rename or move ${name}`}>
        <PathForm
          verb="Rename"
          label="New path"
          initial={path}
          onClose={close}
          onPath={async (target) => {
            await moveFile(sessionId, path, target);
            await refreshFiles(sessionId);
            close();
            onMoved?.(target);
          }}
        />
      </Dialog>
      <ConfirmDialog
        open={shown === "remove"}
        title={`Delete ${name}?`}
        verb="Delete"
        icon="trash"
        onClose={close}
        onConfirm={async () => {
          await removeFile(sessionId, path);
          await refreshFiles(sessionId);
          onMoved?.(null);
        }}
      >
        <p>
          {isFolder ? "The folder and everything in it is" : "The file is"} deleted from the workspace. Undo
          of a turn does not bring it back.
        </p>
      </ConfirmDialog>
    </span>
  );
}
