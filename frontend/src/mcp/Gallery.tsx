import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { listGallery } from "../api/mcp";
import { Dialog } from "../ui/Dialog";
import { Problem, Skeleton } from "../ui/Notice";
import { fieldsOfGallery, type ServerFields } from "./serverFields";

interface GalleryProps {
  onChoose: (fields: ServerFields, hint: string) => void;
  /** Only servers that are reached over the network. */
  remoteOnly?: boolean;
}

/** A button with a dialog of well-known servers. Choosing one fills in the form. */
export function Gallery({ onChoose, remoteOnly = false }: GalleryProps) {
  const [open, setOpen] = useState(false);
  const found = useQuery({ queryKey: ["mcp-gallery"], queryFn: listGallery, enabled: open });
  const servers = found.data?.items.filter((server) => !remoteOnly || server.kind === "remote");
  return (
    <>
      <button type="button" className="button" onClick={() => setOpen(true)}>
        Choose a well-known server…
      </button>
      <Dialog title="Well-known MCP servers" open={open} onClose={() => setOpen(false)}>
        {found.isPending && <Skeleton rows={4} label="Loading the servers" />}
        {found.error && <Problem error={found.error} />}
        <ul className="ruled-top">
          {servers?.map((server) => (
            <li key={server.id} className="list-row ruled stack gap-4">
              <div className="cluster gap-12 gap-y-4">
                <span className="medium">{server.title}</span>
                <span className="small muted">
                  {server.kind === "local" ? "runs in the workspaces" : "reached over HTTP"}
                </span>
                <button
                  type="button"
                  className="button push-end"
                  aria-label={`Use ${server.title}`}
                  onClick={() => {
                    onChoose(fieldsOfGallery(server), server.sign_in);
                    setOpen(false);
                  }}
                >
                  Use
                </button>
              </div>
              <p className="muted">{server.description}</p>
              {server.sign_in && <p className="small muted">It needs: {server.sign_in}</p>}
            </li>
          ))}
        </ul>
      </Dialog>
    </>
  );
}
