import { render, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { PaintedText } from "../../src/ui/PaintedText";

const painted = () =>
  [...document.querySelectorAll<HTMLElement>("span[style]")].map((span) => span.textContent);

describe("a painted text", () => {
  it("is there at once and gets its colours later", async () => {
    const { container } = render(
      <PaintedText text={"if x:\n    pass"} source={"if x:\n    pass"} kind="python" />,
    );
    expect(container.textContent).toBe("if x:\n    pass");
    await waitFor(() => expect(painted()).toContain("if"));
    expect(container.textContent).toBe("if x:\n    pass");
  });

  it("shows what was added before it has colours", async () => {
    const { container, rerender } = render(<PaintedText text="if x" source="if x" kind="python" />);
    await waitFor(() => expect(painted()).toContain("if"));
    rerender(<PaintedText text={"if x:\n    return"} source={"if x:\n    return"} kind="python" />);
    expect(container.textContent).toBe("if x:\n    return");
    await waitFor(() => expect(painted()).toContain("return"));
  });

  it("shows the text of a terminal without its escape sequences", async () => {
    render(<PaintedText text="2 failed" source={"\u001b[31m2 failed\u001b[0m"} kind="terminal" />);
    expect(screen.getByText("2 failed")).toBeDefined();
    await waitFor(() => expect(painted()).toEqual(["2 failed"]));
  });

  it("stays plain in a language that is not known", async () => {
    const { container } = render(<PaintedText text="a -> b" source="a -> b" kind="mermaid" />);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(container.innerHTML).toBe("a -&gt; b");
  });
});
