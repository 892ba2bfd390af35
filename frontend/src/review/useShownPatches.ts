// Patches that were loaded alone, and unchanged lines that were loaded around the hunks.
import { useMemo, useState } from "react";
import { type DiffOptions, readChangedLines } from "../api/review";
import type { FileDiff } from "../api/types";
import { type KnownLines, withContext } from "./context";
import type { ShownFile } from "./rows";

/** By path, with the version of the file that they belong to. */
type LinesByPath = Readonly<Record<string, { version: string; known: KnownLines }>>;
type FilesByPath = Readonly<Record<string, FileDiff>>;

/** Returns the files whose patch is another one than in the list, by path, and how to load more of them. */
export function useShownPatches(sessionId: string, files: readonly FileDiff[], options: DiffOptions) {
  const asked = JSON.stringify(options);
  const [alone, setAlone] = useState<{ asked: string; files: FilesByPath }>({ asked, files: {} });
  const [lines, setLines] = useState<LinesByPath>({});
  const loaded = alone.asked === asked ? alone.files : NOTHING;
  const patches = useMemo(() => patchesOf(files, loaded, lines), [files, loaded, lines]);
  return {
    patches,
    addPatch: (file: FileDiff) =>
      setAlone((before) => ({
        asked,
        files: { ...(before.asked === asked ? before.files : NOTHING), [file.path]: file },
      })),
    /** Loads the lines `first` to `last` of a file after the change. */
    loadLines: async (file: FileDiff, first: number, last: number): Promise<void> => {
      const { turn, commit } = options;
      const found = await readChangedLines(sessionId, {
        path: file.path,
        first,
        last,
        ...(turn && { turn }),
        ...(commit && { commit }),
      });
      setLines((before) => ({ ...before, [file.path]: added(before[file.path], file.version, found) }));
    },
  };
}

const NOTHING: FilesByPath = {};

function added(
  before: LinesByPath[string] | undefined,
  version: string,
  found: { first: number; lines: readonly string[]; total: number },
): LinesByPath[string] {
  const lines = new Map(before?.version === version ? before.known.lines : []);
  for (const [index, text] of found.lines.entries()) lines.set(found.first + index, text);
  return { version, known: { total: found.total, lines } };
}

/** What belongs to another version of its file is left out. */
function patchesOf(files: readonly FileDiff[], alone: FilesByPath, lines: LinesByPath) {
  const shown: Record<string, ShownFile> = {};
  for (const file of files) {
    const loaded = alone[file.path];
    const base = loaded?.version === file.version ? loaded : file;
    const more = lines[file.path];
    if (more?.version === file.version && base.patch) {
      const { known } = more;
      shown[file.path] = { ...base, patch: withContext(base.patch, known), total: known.total };
    } else if (base !== file) shown[file.path] = base;
  }
  return shown;
}
