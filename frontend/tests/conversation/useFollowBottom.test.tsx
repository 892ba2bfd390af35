import { act, fireEvent, render, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { useFollowBottom } from "../../src/conversation/useFollowBottom";

const VIEW = 100;
let resized = () => {};
let height = 300;
let width = 600;

/** There is no layout outside of a browser. */
const SIZES = {
  offsetHeight: () => height,
  offsetWidth: () => width,
  scrollHeight: () => height,
  clientHeight: () => VIEW,
};

class FakeObserver {
  constructor(callback: () => void) {
    resized = callback;
  }
  observe() {}
  disconnect() {}
}

function Pane() {
  const { box, content, hasNews, toBottom } = useFollowBottom();
  return (
    <>
      <section ref={box} data-testid="box">
        <div ref={content}>
          <button type="button" aria-expanded="false">
            Open
          </button>
        </div>
      </section>
      {hasNews && (
        <button type="button" onClick={toBottom}>
          New messages
        </button>
      )}
    </>
  );
}

beforeEach(() => {
  height = 300;
  width = 600;
  vi.stubGlobal("ResizeObserver", FakeObserver);
  for (const [name, read] of Object.entries(SIZES)) {
    Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: read });
  }
  render(<Pane />);
});
afterEach(() => vi.unstubAllGlobals());

const box = () => screen.getByTestId("box");
const grow = (by: number) =>
  act(() => {
    height += by;
    resized();
  });
const scrollTo = (top: number) =>
  act(() => {
    box().scrollTop = top;
    fireEvent.scroll(box());
  });
const news = () => screen.queryByText("New messages");

describe("following the end", () => {
  it("goes along with what arrives", () => {
    grow(200);
    expect(box().scrollTop).toBe(500);
    expect(news()).toBeNull();
  });

  it("stays where the person went, and says that there is news", () => {
    scrollTo(200);
    scrollTo(20);
    grow(200);
    expect(box().scrollTop).toBe(20);
    act(() => news()?.click());
    expect(box().scrollTop).toBe(500);
    expect(news()).toBeNull();
  });

  it("is not told of lines that only wrap because the window became narrower", () => {
    scrollTo(200);
    scrollTo(20);
    width = 300;
    grow(200);
    expect(news()).toBeNull();
    grow(20);
    expect(news()).not.toBeNull();
  });

  it("is not lost by a scroll event that comes after more has arrived", () => {
    grow(50);
    height += 400;
    fireEvent.scroll(box());
    act(() => resized());
    expect(box().scrollTop).toBe(750);
  });

  it("does not move when the person opens something", () => {
    scrollTo(200);
    fireEvent.click(screen.getByText("Open"));
    grow(300);
    expect(box().scrollTop).toBe(200);
    expect(news()).toBeNull();
  });
});
