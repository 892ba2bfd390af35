import { splitPath } from "./output";

/** A path with its file name emphasised; it can wrap after the folder. */
export function PathLabel({ path }: { path: string }) {
  const [folder, name] = splitPath(path);
  return (
    <span className="path-words" title={path}>
      {folder && <span className="muted">{folder}</span>}
      <wbr />
      {name}
    </span>
  );
}
