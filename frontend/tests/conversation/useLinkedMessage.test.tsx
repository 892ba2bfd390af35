import { waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { useLinkedMessage } from "../../src/conversation/useLinkedMessage";
import { message, snapshot, turn } from "../support/builders";
import { renderInSession, serve } from "../support/render";

afterEach(() => window.history.replaceState(null, "", "/"));

function Page({ show, withText }: { show: (thing: HTMLElement) => void; withText: boolean }) {
  useLinkedMessage(show);
  return (
    <div className="conversation">
      <article data-turn="trn_1">{withText && <p data-message="msg_9">Yes.</p>}</article>
    </div>
  );
}

const open = (withText: boolean, id = "msg_9", older: string | null = null) => {
  serve({});
  window.history.replaceState(null, "", `/sessions/ses_1#${id}`);
  const show = vi.fn();
  const shot = snapshot({ older, turns: [turn()], messages: [message({ id: "msg_9", turn_id: "trn_1" })] });
  return { show, ...renderInSession(<Page show={show} withText={withText} />, shot) };
};

describe("a link to a message", () => {
  it("shows and focuses it", async () => {
    const { show } = open(true);
    await waitFor(() => expect(show).toHaveBeenCalledOnce());
    expect(document.activeElement?.textContent).toBe("Yes.");
  });

  it("shows the turn of a message without a text", async () => {
    const { show } = open(false);
    await waitFor(() => expect(show.mock.calls[0]?.[0].dataset.turn).toBe("trn_1"));
  });

  it("loads older messages until it is there", async () => {
    const { show, connection } = open(true, "msg_2", "msg_5");
    await waitFor(() => expect(connection.loadOlder).toHaveBeenCalled());
    expect(show).not.toHaveBeenCalled();
  });
});
