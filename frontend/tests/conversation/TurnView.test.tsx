import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";
import { TurnView } from "../../src/conversation/TurnView";
import { at, call, message, part, snapshot, turn } from "../support/builders";
import { renderInSession, serve } from "../support/render";

it("is one line for the work of a long turn that has ended, and the last words", async () => {
  serve({});
  const numbers = Array.from({ length: 20 }, (_, index) => `${index}`);
  const shot = snapshot({
    turns: [turn({ state: "completed", step_count: 21, ended_at: at(60) })],
    messages: [
      message({ id: "msg_0", role: "user", created_at: at(0) }),
      message({ id: "msg_1", created_at: at(1) }),
    ],
    parts: [
      part({ id: "prt_0", message_id: "msg_0", text: "Do it" }),
      ...numbers.map((id, index) =>
        part({ id: `p${id}`, message_id: "msg_1", index, type: "tool", call_id: id }),
      ),
      part({ id: "prt_9", message_id: "msg_1", index: 99, text: "All done." }),
    ],
    calls: numbers.map((id) => call({ id, tool: "bash", state: "completed", message_id: "msg_1" })),
  });
  renderInSession(<TurnView turnId="trn_1" latest={false} />, shot);
  const fold = screen.getByRole("button", { name: "Show the work 21 steps, 20 calls" });
  expect(screen.queryAllByTestId("tool-row")).toHaveLength(0);
  expect(screen.getByText("Do it")).toBeDefined();
  expect(screen.getByText("All done.")).toBeDefined();
  await userEvent.click(fold);
  expect(screen.getAllByTestId("tool-row")).toHaveLength(20);
});
