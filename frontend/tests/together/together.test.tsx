import { cleanup, render, screen } from "@testing-library/react";
import { afterEach, describe, expect, it } from "vitest";
import type { Watcher } from "../../src/api/frames";
import type { SearchHit, ShareLink } from "../../src/api/together";
import { reduceFrame } from "../../src/store/reducer";
import { emptyState } from "../../src/store/state";
import { initials, watcherText } from "../../src/together/Presence";
import { SearchResult } from "../../src/together/SearchResult";
import { isActive } from "../../src/together/ShareLinks";
import { at } from "../support/builders";

afterEach(cleanup);

const watcher = (over: Partial<Watcher> = {}): Watcher => ({
  person: { id: "usr_1", email: "ann@example.org", name: "Ann Other" },
  windows: 1,
  acts: true,
  drives: false,
  ...over,
});

describe("who is there", () => {
  it("is what the last frame says, and outlives a new snapshot of the session", () => {
    const state = reduceFrame(emptyState, { type: "presence", people: [watcher()] }).state;
    expect(state.watchers).toHaveLength(1);
  });

  it("is drawn as initials, and described in words", () => {
    expect([initials("Ann Other"), initials("bob.smith@example.org"), initials("")]).toEqual([
      "AO",
      "BS",
      "",
    ]);
    expect(watcherText(watcher({ drives: true }), false)).toBe("Ann Other: driving");
    expect(watcherText(watcher({ acts: false }), true)).toBe("You: watching");
  });
});

describe("what was found", () => {
  const hit: SearchHit = {
    kind: "answer",
    ref: "prt_1",
    session_id: "ses_1",
    session_title: "Tea",
    session_status: "idle",
    shared_with: "private",
    project_id: "prj_1",
    project_name: "Shop",
    person: null,
    at: at(0),
    pieces: [
      { text: "<img src=x> ", hit: false },
      { text: "tea", hit: true },
    ],
  };

  it("is marked, and markup in it stays text", () => {
    render(<SearchResult hit={hit} />);
    expect(document.querySelector("mark")?.textContent).toBe("tea");
    expect(document.querySelector("img")).toBeNull();
    expect(screen.getByTestId("hit").textContent).toContain("<img src=x>");
    expect(screen.getByTestId("hit").getAttribute("href")).toBe("/sessions/ses_1");
  });
});

describe("a link", () => {
  const link = { revoked_at: null, expires_at: null } as ShareLink;

  it("opens something until it is revoked or its time is over", () => {
    expect(isActive(link)).toBe(true);
    expect(isActive({ ...link, revoked_at: at(0) })).toBe(false);
    expect(isActive({ ...link, expires_at: at(5) }, Date.parse(at(4)))).toBe(true);
    expect(isActive({ ...link, expires_at: at(5) }, Date.parse(at(6)))).toBe(false);
  });
});
