import { createContext, useContext } from "react";
import { PathLabel } from "../tools/PathLabel";
import { openFile } from "../workbench/sideStore";
import "./FileLink.css";

/** Whether the files of a workspace can be opened on this page. */
export const FilesAtHand = createContext(false);

/** A path that opens the file in the side panel, where there is one. */
export function FileLink({ path, line = 0 }: { path: string; line?: number }) {
  const atHand = useContext(FilesAtHand);
  if (!atHand) return <PathLabel path={path} />;
  return (
    <button type="button" className="link path-link" onClick={() => openFile(path, line)}>
      <PathLabel path={path} />
    </button>
  );
}
