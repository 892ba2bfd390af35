// @vitest-environment jsdom
// jsdom, because happy-dom does not walk a changing tree like browsers do, and DOMPurify depends on that.
import { render, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { clean, Markdown } from "../../src/conversation/Markdown";

describe("markdown of a model", () => {
  it("shows structure and code with its language", () => {
    render(<Markdown text={"# Title\n\n- one\n\n```python\nx = 1\n```"} streaming={false} />);
    expect(screen.getByRole("heading", { name: "Title" })).toBeDefined();
    expect(screen.getByText("python")).toBeDefined();
    expect(screen.getByText("x = 1")).toBeDefined();
  });

  it("names the boxes of a task list, and lets the keyboard scroll a table", () => {
    render(<Markdown text={"- [x] one\n- [ ] two\n\n| a |\n| --- |\n| b |"} streaming={false} />);
    expect(screen.getByRole("checkbox", { name: "done" }).hasAttribute("checked")).toBe(true);
    expect(screen.getByRole("checkbox", { name: "not done" }).hasAttribute("disabled")).toBe(true);
    expect(screen.getByRole("table").tabIndex).toBe(0);
  });

  it("aligns the columns of a table as it says", () => {
    render(<Markdown text={"| a | b |\n| :-- | --: |\n| 1 | 2 |"} streaming={false} />);
    expect(screen.getByRole("cell", { name: "2" }).getAttribute("align")).toBe("right");
  });

  it("draws formulas, and leaves prices, variables and code alone", async () => {
    const text =
      "Mass $E=mc^2$, and\n\n$$\\int_0^1 x\\,dx$$\n\nIt costs $5 or $10 in $HOME:$PATH, `$a$` too.";
    const { container } = render(<Markdown text={text} streaming={false} />);
    await waitFor(() => expect(container.querySelectorAll(".katex")).toHaveLength(2), { timeout: 20_000 });
    expect(container.querySelectorAll(".katex-display")).toHaveLength(1);
    expect(container.textContent).toContain("It costs $5 or $10 in $HOME:$PATH, $a$ too.");
  });

  it("shows a formula that is wrong as it was written, and lets none load anything", async () => {
    const text = "$\\frac{1$ and $\\includegraphics{https://evil.example/x.png}$ and $x$";
    const { container } = render(<Markdown text={text} streaming={false} />);
    await waitFor(() => expect(container.querySelector(".katex")).not.toBeNull(), { timeout: 20_000 });
    expect(container.textContent).toContain("\\frac{1");
    expect(container.querySelector("img")).toBeNull();
  });

  it("numbers footnotes and leads to them and back", async () => {
    const text = "One[^b] and two[^a], none[^c].\n\n[^a]: The first *note*.\n[^b]: The second.";
    const { container } = render(<Markdown text={text} streaming={false} />);
    expect(container.textContent).toContain("One2 and two1, none[^c].");
    await userEvent.click(screen.getByRole("link", { name: "Footnote 1" }));
    expect(document.activeElement?.closest("p")?.textContent).toContain("1. The first note.");
    await userEvent.keyboard("{Enter}");
    expect(document.activeElement).toBe(screen.getByRole("link", { name: "Footnote 1" }));
  });

  it("links pictures elsewhere, and shows those that are part of the text", () => {
    const dot = "data:image/png;base64,iVBORw0KGgo=";
    const text = `![A chart](https://example.org/c.png)\n\nSee ![B](https://example.org/b.png) here.\n\n![Dot](${dot})`;
    render(<Markdown text={text} streaming={false} />);
    expect(screen.getByRole("link", { name: /Picture: A chart/ }).getAttribute("href")).toBe(
      "https://example.org/c.png",
    );
    expect(screen.getByRole("link", { name: "Picture: B" })).toBeDefined();
    expect(screen.getAllByRole("img").map((img) => img.getAttribute("alt"))).toEqual(["Dot"]);
  });

  it("closes half-written marks while it streams", () => {
    const { container } = render(<Markdown text="This is **bo" streaming />);
    expect(container.querySelector("strong")?.textContent).toBe("bo");
  });

  it.each([
    "<script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    '<a href="javascript:alert(1)">x</a>',
    '<p style="position:fixed" class="card" id="root">x</p>',
    '<form action="https://evil.example"><button>Go</button></form>',
    "<svg onload=alert(1)></svg>",
    '<iframe src="https://evil.example"></iframe>',
  ])("does not let through %s", (html) => {
    expect(clean(html)).not.toMatch(
      /script|onerror|onload|javascript:|style=|class=|id=|<form|<button|<img|<svg|<iframe/,
    );
  });

  it.each([
    "<script>alert(1)</script>",
    '<p onclick="alert(1)">x</p>',
    'In a line <b onmouseover="alert(1)">x</b> too',
    '<p title=">" onclick="alert(1)">x</p>',
    "<p/onclick=alert(1)>x</p>",
    '<p style="background:url(https://evil.example)">x</p>',
    "<style>body { display: none }</style>",
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<img src="data:image/png;base64,x" onerror="alert(1)">',
    '<svg onload="alert(1)"><animate onbegin="alert(1)"></svg>',
    '<details ontoggle="alert(1)" open>x</details>',
    "<b\nonclick=alert(1)>x</b>",
    '- item <a href="javascript:alert(1)" onclick="alert(1)">x</a>',
    "| a |\n| --- |\n| <b onclick=alert(1)>x</b> |",
    '[x](https://example.org "a\\" onclick=\\"alert(1)")',
  ])("gives the browser's parser nothing that it would refuse: %s", (text) => {
    const parse = vi.spyOn(DOMParser.prototype, "parseFromString");
    const { container } = render(<Markdown text={text} streaming={false} />);
    const inert = document.implementation.createHTMLDocument();
    for (const [html] of parse.mock.calls) inert.body.insertAdjacentHTML("beforeend", String(html));
    parse.mockRestore();
    for (const root of [inert.body, container]) {
      expect(root.querySelector("script, style, iframe, svg")).toBeNull();
      for (const node of root.querySelectorAll("*")) {
        expect(node.getAttributeNames().filter((name) => name.startsWith("on") || name === "style")).toEqual(
          [],
        );
      }
    }
  });

  it("shows HTML as it was written, and keeps tags that Markdown has no sign for", () => {
    const text = 'Press <kbd>Enter</kbd><br>or <a onclick="go()">here</a>';
    const { container } = render(<Markdown text={text} streaming={false} />);
    expect(container.querySelector("kbd")?.textContent).toBe("Enter");
    expect(container.querySelector("br")).not.toBeNull();
    expect(container.textContent).toContain('<a onclick="go()">here');
  });

  it("opens links elsewhere, without a way back", () => {
    expect(clean('<a href="https://example.org">x</a>')).toMatch(/rel="noopener noreferrer"/);
  });
});
