import { render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ApiError } from "../../src/api/http";
import { FieldsProblem } from "../../src/ui/FieldsProblem";

describe("the errors of a form", () => {
  const scrolled = vi.fn(() => Promise.resolve()); // as newer browsers do

  beforeEach(() => {
    Element.prototype.scrollIntoView = scrolled as unknown as () => void;
  });

  afterEach(() => {
    Reflect.deleteProperty(Element.prototype, "scrollIntoView");
  });

  it("come into view one after the other, until there is none", () => {
    const { rerender } = render(<FieldsProblem error={new ApiError(422, "invalid", "The name is taken.")} />);
    screen.getByText("The name is taken.");
    rerender(<FieldsProblem error={new ApiError(422, "invalid", "The address is wrong.")} />);
    screen.getByText("The address is wrong.");
    expect(scrolled).toHaveBeenCalledTimes(2);
    rerender(<FieldsProblem error={null} />);
    expect(screen.queryByText("The address is wrong.")).toBeNull();
  });
});
