import { act, screen } from "@testing-library/react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { CallRequests } from "../../src/conversation/CallRequests";
import { useLinkedRequest } from "../../src/conversation/useLinkedRequest";
import { upsertRequest } from "../../src/store/reducer";
import type { SessionConnection } from "../../src/store/session";
import { at, request, snapshot } from "../support/builders";
import { DANA } from "../support/policies";
import { renderInSession, serve } from "../support/render";

const OPEN = snapshot({ permission_requests: [request()] });
const settle = (connection: SessionConnection, over: Parameters<typeof request>[0]) =>
  act(() =>
    connection.store.setState((state) =>
      upsertRequest(state, request({ state: "once", settled_at: at(1), ...over })),
    ),
  );

function Linked({ show }: { show: (thing: HTMLElement) => void }) {
  useLinkedRequest(show);
  return (
    <div className="conversation">
      <CallRequests callId="call_1" waits />
    </div>
  );
}

beforeEach(() => void serve({}));
afterEach(() => vi.unstubAllGlobals());

describe("what a call waits for", () => {
  it("says what somebody else answered while one looked at it", () => {
    const { connection } = renderInSession(<CallRequests callId="call_1" waits />, OPEN);
    expect(screen.getByTestId("permission-card")).toBeDefined();
    settle(connection, { answered_by: DANA });
    expect(screen.getByTestId("settled-elsewhere").textContent).toBe("Allowed once by Dana.");
  });

  it("asks what a call that ran asks afterwards, though it was asked about before", () => {
    const before = request({ id: "per_1", state: "once", settled_at: at(1) });
    const after = request({ id: "per_2", title: "Connect to example.org" });
    renderInSession(
      <CallRequests callId="call_1" waits />,
      snapshot({ permission_requests: [before, after] }),
    );
    expect(screen.getByTestId("permission-card").getAttribute("data-request")).toBe("per_2");
  });

  it("says nothing about one's own answer, nor about what was settled before", async () => {
    const { connection, unmount } = renderInSession(<CallRequests callId="call_1" waits />, OPEN);
    await act(async () => {});
    settle(connection, { answered_by: { id: "usr_1", email: "a@example.org", name: "A" } });
    expect(screen.queryByTestId("settled-elsewhere")).toBeNull();
    unmount();
    const settled = request({ state: "once", settled_at: at(1), answered_by: DANA });
    renderInSession(
      <CallRequests callId="call_1" waits={false} />,
      snapshot({ permission_requests: [settled] }),
    );
    expect(screen.queryByTestId("settled-elsewhere")).toBeNull();
  });
});

describe("a link to what waits", () => {
  afterEach(() => window.history.replaceState(null, "", "/"));

  it("shows the card and focuses it, once", () => {
    const id = request().id;
    window.history.replaceState(null, "", `/sessions/ses_1#${id}`);
    const show = vi.fn();
    const { connection } = renderInSession(<Linked show={show} />, OPEN);
    const card = screen.getByTestId("permission-card");
    expect(document.activeElement).toBe(card);
    settle(connection, { state: "open", settled_at: null });
    expect(show.mock.calls).toEqual([[card]]);
  });
});
