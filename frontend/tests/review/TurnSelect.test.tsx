import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it, vi } from "vitest";
import { TurnSelect } from "../../src/review/TurnSelect";
import { message, part, snapshot, turn } from "../support/builders";
import { renderInSession, serve } from "../support/render";

const withTurns = (ids: readonly number[], older: string | null = null) =>
  snapshot({
    older,
    turns: ids.map((id) => turn({ id: `trn_${id}`, created_at: `2026-01-01T12:00:0${id}Z` })),
    messages: ids.map((id) => message({ id: `msg_${id}`, turn_id: `trn_${id}`, role: "user" })),
    parts: ids.map((id) =>
      part({ id: `prt_${id}`, message_id: `msg_${id}`, text: `Prompt ${id}\n${"x ".repeat(99)}` }),
    ),
  });

const open = (shot: ReturnType<typeof snapshot>, chosen = "") => {
  serve({});
  const onChoose = vi.fn();
  return { onChoose, ...renderInSession(<TurnSelect chosen={chosen} onChoose={onChoose} />, shot) };
};
const labels = () => screen.getAllByRole("option").map((option) => option.textContent);

describe("the choice of a turn", () => {
  it("names turns by the beginning of their prompts", async () => {
    const { onChoose } = open(withTurns([1, 2]));
    expect(labels()[1]).toMatch(/^Turn: Prompt 1 x x .*… \(running\)$/);
    await userEvent.selectOptions(screen.getByRole("combobox"), "trn_2");
    expect(onChoose).toHaveBeenCalledWith("trn_2");
  });

  it("is not offered where there is one turn", () => {
    open(withTurns([1]));
    expect(screen.queryByRole("combobox")).toBeNull();
  });

  it("loads earlier turns on request, and chooses nothing", async () => {
    const { connection, onChoose } = open(withTurns([5], "msg_5"));
    await userEvent.selectOptions(screen.getByRole("combobox"), "Load earlier turns");
    expect(connection.loadOlder).toHaveBeenCalledOnce();
    expect(onChoose).not.toHaveBeenCalled();
  });

  it("loads until a turn of the address is there", () => {
    const { connection } = open(withTurns([5], "msg_5"), "trn_1");
    expect(connection.loadOlder).toHaveBeenCalled();
    expect((screen.getByRole("combobox") as HTMLSelectElement).value).toBe("trn_1");
  });
});
