import { describe, expect, it } from "vitest";

const sources = import.meta.glob<string>("../src/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});
const sheets = import.meta.glob<string>("../src/**/*.css", { query: "?raw", import: "default", eager: true });

const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/"));
const isShared = (path: string) => folderOf(path) === "../src/ui";

/** The class names in each selector of a stylesheet. */
function selectors(css: string): string[][] {
  const lists = css.replace(/\/\*[\s\S]*?\*\//g, "").match(/[^{};]+(?=\{)/g) ?? [];
  const single = lists.flatMap((list) => list.replace(/\([^)]*\)/g, "").split(","));
  return single.map((one) => [...one.matchAll(/\.([a-z][\w-]*)/gi)].map((found) => found[1] ?? ""));
}

/** Whether a source contains the class name, whole or as the beginning of a template (`state-${...}`). */
function uses(source: string, name: string): boolean {
  if (new RegExp(`(?<![\\w-])${name}(?![\\w-])`).test(source)) return true;
  const dash = name.lastIndexOf("-");
  return dash > 0 && source.includes(`${name.slice(0, dash + 1)}\${`);
}

const isUsed = (name: string, folder?: string) =>
  Object.entries(sources).some(
    ([path, source]) => (!folder || folderOf(path) === folder) && uses(source, name),
  );

describe("stylesheets", () => {
  it("are imported by the components of their folder; those of ui by styles.ts", () => {
    const foreign: string[] = [];
    for (const [path, source] of Object.entries(sources))
      for (const [, sheet = ""] of source.matchAll(/^import "(\.[^"]+\.css)"/gm)) {
        const allowed = path === "../src/styles.ts" ? /^\.\/ui\/[^/]+$/ : /^\.\/[^/]+$/;
        if (!allowed.test(sheet) || isShared(path)) foreign.push(`${path} imports ${sheet}`);
      }
    expect(foreign).toEqual([]);
  });

  it("have no rules for classes that no component uses", () => {
    const unused: string[] = [];
    for (const [path, css] of Object.entries(sheets))
      for (const name of new Set(selectors(css).flat()))
        if (!isUsed(name)) unused.push(`.${name} in ${path}`);
    expect(Object.values(sheets).join("").length).toBeGreaterThan(50_000);
    expect(unused).toEqual([]);
  });

  it("of a feature only have rules with a class of that feature", () => {
    const foreign: string[] = [];
    for (const [path, css] of Object.entries(sheets))
      if (!isShared(path))
        for (const names of selectors(css))
          if (names.length && !names.some((name) => isUsed(name, folderOf(path))))
            foreign.push(`.${names.join(" .")} in ${path}`);
    expect(foreign).toEqual([]);
  });
});
