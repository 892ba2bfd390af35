import { splitPath } from "./output";
import "./views.css";

/** A path with its file name emphasised; it can wrap after the folder. */
export function PathLabel({ path }: { path: string }) {
  const [folder, name] = splitPath(path);
  return (
    <span className="path-words mono small break-anywhere" title={path}>
      {folder && <span className="muted">{folder}</span>}
      <wbr />
      {name}
    </span>
  );
}
