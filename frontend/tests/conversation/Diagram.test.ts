import { describe, expect, it } from "vitest";
import { drawDiagram, LONGEST } from "../../src/diagrams/draw";

const COLOURS = { text: "#111111", page: "#ffffff" };
const draw = (text: string) => drawDiagram(text, COLOURS);
const parsed = (text: string) => new DOMParser().parseFromString(draw(text), "image/svg+xml");

const HOSTILE = [
  "<script>alert(1)</script>",
  '<img src="x" onerror="alert(1)">',
  '"><a href="javascript:alert(1)">x</a>',
  "&lt;script&gt;alert(1)&lt;/script&gt;",
  "</text><foreignObject><iframe src=//evil.example></iframe></foreignObject>",
  "</style><style>@import url(//evil.example/x.css);</style>",
  "]]><script>1</script>",
  "#quot; onload=alert(1) x=#quot;",
];
const KINDS = {
  flowchart: (label: string) =>
    `graph TD\n  A["${label}"] -->|"${label}"| B[tea]\n  click A "javascript:alert(1)"`,
  styled: (label: string) => `graph TD\n  A[tea]\n  style A fill:${label},stroke:red" onload="alert(1)`,
  sequence: (label: string) => `sequenceDiagram\n  participant A as ${label}\n  A->>B: ${label}`,
  class: (label: string) => `classDiagram\n  class A["${label}"]\n  A : +${label}`,
  er: (label: string) => `erDiagram\n  A ||--o{ B : "${label}"`,
};

describe("a diagram of an answer", () => {
  it("is drawn with its labels", () => {
    const picture = parsed("graph TD\n  A[Tea] --> B[Shop]");
    expect(picture.documentElement.tagName).toBe("svg");
    expect(picture.documentElement.textContent).toContain("Tea");
    expect(picture.querySelector("style")?.textContent).toMatch(/^\s*text \{/); // without fonts of other places
  });

  it.each(Object.keys(KINDS))("cannot run, load or link anything: %s", (kind) => {
    for (const label of HOSTILE) {
      let picture: Document;
      try {
        picture = parsed(KINDS[kind as keyof typeof KINDS](label));
      } catch {
        continue; // refused: the text is shown
      }
      const elements = [...picture.querySelectorAll("*")];
      const names = elements.map(({ tagName }) => tagName.toLowerCase());
      for (const name of ["script", "foreignobject", "iframe", "image", "a", "use", "img"]) {
        expect(names, `${kind} ${label}`).not.toContain(name);
      }
      const attributes = elements.flatMap((element) =>
        [...element.attributes].map(({ name }) => name.toLowerCase()),
      );
      expect(attributes.filter((name) => name.startsWith("on") || name.endsWith("href"))).toEqual([]);
      for (const style of picture.querySelectorAll("style"))
        expect(style.textContent).not.toContain("@import");
    }
  });

  it("is refused if it is too large, or of a kind that is not drawn", () => {
    expect(() => draw(`graph TD\n${"  A --> B\n".repeat(400)}`)).toThrow("too large");
    expect(() => draw(`graph TD\n  A[${"x".repeat(LONGEST)}]`)).toThrow("too large");
    expect(() => draw("gantt\n  title Tea")).toThrow("not drawn");
    expect(() => draw("<script>alert(1)</script>")).toThrow("not drawn");
  });
});
