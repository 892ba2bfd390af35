// Paths of files in texts: `src/app.py`, `src/app.py:25` and `app.py:25:3`.
import { shownPath } from "../tools/facts";

export interface MentionedFile {
  path: string;
  /** From 1; 0 if none is named. */
  line: number;
}

const FILE = /^(?!https?:)([\w@+~-][\w./@+~-]*|\/[\w./@+~-]+)\.(\w{1,10})(?::(\d{1,7}))?(?::\d{1,5})?$/;

/** The file that a piece of code names; null if it is something else. A name alone counts only with a line. */
export function mentionedFile(text: string): MentionedFile | null {
  const found = FILE.exec(text.trim());
  if (!found || text.includes("..")) return null;
  const line = Number(found[3] ?? 0);
  const path = shownPath(`${found[1]}.${found[2]}`).replace(/^\.\//, "");
  return path.includes("/") || line > 0 ? { path, line } : null;
}
