import { type ChangeEvent, useRef, useState } from "react";
import { makeFolder, writeFile } from "../api/files";
import { Dialog } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { filesChosen } from "../uploads/source";
import { openFile } from "../workbench/sideStore";
import { PathForm } from "./PathForm";
import { refreshFiles } from "./queries";
import { Uploads, useUploads } from "./Uploads";

/** A button that adds a file or folder to a folder, or uploads files into it. */
export function NewEntry({ sessionId, folder }: { sessionId: string; folder: string }) {
  const [isOpen, setOpen] = useState(false);
  const [kind, setKind] = useState<keyof typeof KINDS>("file");
  const uploads = useUploads(sessionId);
  const picker = useRef<HTMLInputElement>(null);
  const close = () => setOpen(false);
  const start = folder === "." ? "" : `${folder}/`;
  const create = async (path: string) => {
    if (kind === "folder") await makeFolder(sessionId, path);
    else await writeFile(sessionId, path, "", null);
    await refreshFiles(sessionId);
    close();
    if (kind === "file") openFile(path);
  };
  const upload = async (event: ChangeEvent<HTMLInputElement>) => {
    const files = filesChosen([...(event.target.files ?? [])]);
    event.target.value = "";
    if (await uploads.begin(folder, files)) close();
  };
  return (
    <>
      <button
        type="button"
        className="icon-button"
        aria-label={folder === "." ? "Add files" : `Add files to ${folder}`}
        onClick={() => setOpen(true)}
      >
        <Icon name="plus" size={14} />
      </button>
      <Dialog
        open={isOpen}
        onClose={close}
        title={folder === "." ? "Add to the workspace" : `Add to ${folder}`}
      >
        <fieldset className="files-kinds flow gap-12">
          <legend className="sr-only">What to add</legend>
          {(Object.keys(KINDS) as (keyof typeof KINDS)[]).map((each) => (
            <label key={each} className="inline gap-4">
              <input type="radio" name="kind" checked={kind === each} onChange={() => setKind(each)} />
              {KINDS[each]}
            </label>
          ))}
        </fieldset>
        {kind === "upload" || kind === "uploadFolder" ? (
          <div className="confirm stack gap-16">
            <p className="muted">
              At most 10 MiB for each file. Files of the same name are not replaced.
              {kind === "uploadFolder" &&
                " Packages that set-up installs (node_modules, .venv) are left out."}
            </p>
            <Uploads state={uploads} />
            <input
              key={kind}
              ref={picker}
              type="file"
              multiple
              {...(kind === "uploadFolder" && { webkitdirectory: "" })}
              aria-label={kind === "upload" ? "Files to upload" : "Folder to upload"}
              onChange={(event) => void upload(event)}
            />
          </div>
        ) : (
          <PathForm
            key={kind}
            verb={`Create ${kind}`}
            label="Path"
            initial={start}
            onPath={create}
            onClose={close}
          />
        )}
      </Dialog>
    </>
  );
}

const KINDS = {
  file: "New file",
  folder: "New folder",
  upload: "Upload files",
  uploadFolder: "Upload a folder",
} as const;
