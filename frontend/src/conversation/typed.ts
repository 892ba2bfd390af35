// Parses a typed text: a prompt, a command such as "/review src/a.py", or a shell command such as "!git status".

export type Typed =
  | { kind: "prompt"; text: string; paths: string[] }
  | { kind: "command"; name: string; args: string }
  | { kind: "shell"; command: string };

const COMMAND = /^\/([\w][\w./-]*)(?:\s+([\s\S]*))?$/;

/** `commands` are the names of the session's commands, `chosen` the files that were chosen from the list. */
export function meaningOf(text: string, commands: readonly string[], chosen: ReadonlySet<string>): Typed {
  const words = text.trim();
  if (/^!\s*\S/.test(words)) return { kind: "shell", command: words.slice(1).trim() };
  const found = COMMAND.exec(words);
  const name = found?.[1] ?? "";
  if (found && commands.includes(name)) return { kind: "command", name, args: (found[2] ?? "").trim() };
  return { kind: "prompt", text: words, paths: [...chosen].filter((path) => mentions(words, path)) };
}

/** Returns whether the text contains "@path", not as the beginning of a longer path. */
function mentions(text: string, path: string): boolean {
  for (let at = text.indexOf(`@${path}`); at >= 0; at = text.indexOf(`@${path}`, at + 1)) {
    const next = text[at + 1 + path.length] ?? " ";
    if (path.endsWith("/") ? /[\s,;:.)]/.test(next) : !/[\p{L}\p{M}\p{N}_/-]/u.test(next)) return true;
  }
  return false;
}

const COMMAND_AT_CARET = /^\/([\w./:-]*)$/;

/** Returns the beginning of a command's name in front of the caret, or null. */
export function findCommand(text: string, caret: number): string | null {
  return COMMAND_AT_CARET.exec(text.slice(0, caret))?.[1] ?? null;
}

/** Returns files, and the folders in which they are as "folder/", that fit what was typed: at most `limit`. */
export function withFolders(paths: readonly string[], query: string, limit: number): string[] {
  const wanted = query.toLowerCase();
  const folders = new Set<string>();
  for (const path of paths) {
    const steps = path.split("/").slice(0, -1);
    steps.forEach((_, index) => {
      const folder = `${steps.slice(0, index + 1).join("/")}/`;
      if (folder.toLowerCase().includes(wanted)) folders.add(folder);
    });
  }
  return [...folders, ...paths].slice().sort(byNearness(wanted)).slice(0, limit);
}

/** Names that begin with the query come first, then shorter paths. */
function byNearness(query: string): (a: string, b: string) => number {
  const distance = (path: string) => {
    const name = path.replace(/\/$/, "").split("/").pop()?.toLowerCase() ?? "";
    if (path.toLowerCase().startsWith(query) || name.startsWith(query)) return 0;
    return name.includes(query) ? 1 : 2;
  };
  return (a, b) => distance(a) - distance(b) || a.length - b.length || (a < b ? -1 : 1);
}
