import { useEffect, useRef, useState } from "react";
import type { FileDiff } from "../api/types";
import type { Colours } from "./colours";
import type { Row } from "./rows";

/** The syntax colours of the files in view. They arrive in pieces after the lines are shown. */
export function useColours(rows: readonly Row[], paths: string): ReadonlyMap<string, Colours> {
  const [, setCount] = useState(0);
  const found = useRef(new Map<string, Colours>());
  const begun = useRef(new WeakSet<FileDiff>());
  const isGone = useRef(false);
  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);
  useEffect(() => {
    const wanted = new Set(paths.split("\n"));
    for (const row of rows) {
      if (row.kind !== "line" || !wanted.has(row.file.path) || begun.current.has(row.file)) continue;
      begun.current.add(row.file);
      void follow(row.file);
    }
    async function follow(file: FileDiff) {
      const { colour } = await import("./highlight");
      for await (const colours of colour(file)) {
        if (isGone.current) return;
        found.current.set(file.path, colours);
        setCount((count) => count + 1);
      }
    }
  }, [rows, paths]);
  return found.current;
}
