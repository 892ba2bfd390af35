import { splitPath } from "./output";

/** A path whose name stands out; it may break after its folder. */
export function PathWords({ path }: { path: string }) {
  const [folder, name] = splitPath(path);
  return (
    <span className="path-words" title={path}>
      {folder && <span className="muted">{folder}</span>}
      <wbr />
      {name}
    </span>
  );
}
