import { describe, expect, it } from "vitest";
import { bytesOf } from "../../src/terminal/link";
import { Typed } from "../../src/terminal/typed";

function typed() {
  const sent: string[] = [];
  return { sent, queue: new Typed((data) => sent.push(data) > 0) };
}

describe("what is typed into a terminal", () => {
  it("waits until the terminal is connected", () => {
    const { sent, queue } = typed();
    queue.add("ls");
    queue.add("\r");
    expect(sent).toEqual([]);
    queue.connect();
    expect(sent).toEqual(["ls\r"]);
  });

  it("is sent in pieces, of which only some are on their way", () => {
    const { sent, queue } = typed();
    queue.connect();
    queue.add("x".repeat(100_000));
    expect(sent).toHaveLength(8);
    for (let piece = 0; piece < 20; piece += 1) queue.taken();
    expect(sent.join("")).toBe("x".repeat(100_000));
  });

  it("is not cut within a character", () => {
    const { sent, queue } = typed();
    queue.connect();
    queue.add(`${"x".repeat(8_191)}🍵`);
    expect(sent.join("")).toBe(`${"x".repeat(8_191)}🍵`);
    expect(sent[0]).toHaveLength(8_191);
  });

  it("is dropped by a key that interrupts, which does not wait itself", () => {
    const { sent, queue } = typed();
    queue.connect();
    queue.add("x".repeat(100_000));
    queue.add("\x03");
    expect(sent.at(-1)).toBe("\x03");
    for (let piece = 0; piece < 20; piece += 1) queue.taken();
    expect(sent).toHaveLength(9);
  });

  it("is not sent twice after a cut", () => {
    const { sent, queue } = typed();
    queue.connect();
    queue.add("one");
    queue.disconnect();
    queue.add("two");
    queue.connect();
    expect(sent).toEqual(["one", "two"]);
  });
});

it("decodes output to bytes", () => {
  expect([...bytesOf(btoa("\x1b[0m\xff"))]).toEqual([27, 91, 48, 109, 255]);
});
