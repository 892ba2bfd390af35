// @vitest-environment jsdom
// happy-dom walks a tree that is being changed in another way than browsers do, which DOMPurify depends on.
import { render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { clean, Markdown } from "../../src/conversation/Markdown";

describe("markdown of a model", () => {
  it("shows structure and code with its language", () => {
    render(<Markdown text={"# Title\n\n- one\n\n```python\nx = 1\n```"} streaming={false} />);
    expect(screen.getByRole("heading", { name: "Title" })).toBeDefined();
    expect(screen.getByText("python")).toBeDefined();
    expect(screen.getByText("x = 1")).toBeDefined();
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

  it("opens links elsewhere, without a way back", () => {
    expect(clean('<a href="https://example.org">x</a>')).toMatch(/rel="noopener noreferrer"/);
  });
});
