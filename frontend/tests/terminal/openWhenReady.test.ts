import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { errorFrom } from "../../src/api/http";
import { openWhenReady } from "../../src/terminal/openWhenReady";

const refusal = (code: string) =>
  errorFrom(409, { error: { code, message: "This workspace has no files yet, or is being restored." } });

describe("a terminal that is opened while its workspace starts", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("opens as soon as the workspace has files, and says that it waits", async () => {
    const onWait = vi.fn();
    const open = vi
      .fn()
      .mockRejectedValueOnce(refusal("workspace_not_ready"))
      .mockRejectedValueOnce(refusal("workspace_not_ready"))
      .mockResolvedValueOnce("opened");
    const opened = openWhenReady(open, { onWait, signal: new AbortController().signal });
    await vi.advanceTimersByTimeAsync(4_000);
    expect(await opened).toBe("opened");
    expect(onWait).toHaveBeenCalled();
    expect(open).toHaveBeenCalledTimes(3);
  });

  it("shows any other refusal at once", async () => {
    const open = vi.fn().mockRejectedValue(refusal("too_many_terminals"));
    const opened = openWhenReady(open, { onWait: vi.fn(), signal: new AbortController().signal });
    await expect(opened).rejects.toMatchObject({ code: "too_many_terminals" });
    expect(open).toHaveBeenCalledOnce();
  });

  it("shows the refusal of a workspace that is not ready after two minutes", async () => {
    const open = vi.fn().mockRejectedValue(refusal("workspace_not_ready"));
    const opened = openWhenReady(open, { onWait: vi.fn(), signal: new AbortController().signal });
    const seen = expect(opened).rejects.toMatchObject({ code: "workspace_not_ready" });
    await vi.advanceTimersByTimeAsync(120_000);
    await seen;
    expect(open.mock.calls.length).toBeGreaterThan(30);
  });

  it("opens nothing for a person who has left the page", async () => {
    const leave = new AbortController();
    const open = vi.fn().mockRejectedValue(refusal("workspace_not_ready"));
    const opened = openWhenReady(open, { onWait: vi.fn(), signal: leave.signal });
    const seen = expect(opened).rejects.toMatchObject({ code: "workspace_not_ready" });
    await vi.advanceTimersByTimeAsync(500);
    leave.abort();
    await vi.advanceTimersByTimeAsync(10_000);
    await seen;
    expect(open).toHaveBeenCalledOnce();
  });
});
