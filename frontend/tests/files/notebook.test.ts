import { describe, expect, it } from "vitest";
import { readNotebook } from "../../src/files/notebook";

const notebook = (cells: unknown[]) => JSON.stringify({ cells, metadata: { language_info: { name: "r" } } });

describe("a notebook", () => {
  it("has cells with texts, pictures and errors as outputs", () => {
    const outputs = [
      { output_type: "stream", text: ["one\n", "two"] },
      { output_type: "execute_result", data: { "text/html": "<b>x</b>", "text/plain": "x" } },
      { output_type: "display_data", data: { "image/png": "iVBO\nRw0K", "text/plain": "<Figure>" } },
      { output_type: "error", traceback: ["Traceback", "ValueError"] },
      "nonsense",
    ];
    const read = readNotebook(
      notebook([
        { cell_type: "markdown", source: ["# Tea\n", "green"] },
        { cell_type: "code", source: "1 + 1", outputs },
      ]),
    );
    expect(read?.language).toBe("r");
    expect(read?.cells[0]).toEqual({ kind: "markdown", text: "# Tea\ngreen", outputs: [] });
    expect(read?.cells[1]?.outputs).toEqual([
      { kind: "text", text: "one\ntwo" },
      { kind: "text", text: "x" },
      { kind: "picture", address: "data:image/png;base64,iVBORw0K" },
      { kind: "text", text: "Traceback\nValueError" },
    ]);
  });

  it.each(["", "{", "[]", "{}", '{"cells": 1}'])("is not what %s says", (text) => {
    expect(readNotebook(text)).toBeNull();
  });
});
