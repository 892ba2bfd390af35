import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { areReady, FileDraft } from "../../src/conversation/draftFiles";
import { attachment, FakeUpload, fakeUploads } from "../support/uploads";

beforeEach(() => {
  localStorage.clear();
  fakeUploads();
});
afterEach(() => vi.unstubAllGlobals());

const file = (name = "tea.png", size = 4) => {
  const made = new File(["x".repeat(Math.min(size, 10))], name);
  Object.defineProperty(made, "size", { value: size });
  return made;
};
const settled = () => new Promise((resolve) => setTimeout(resolve));
const states = (draft: FileDraft) => draft.store.getState().files;

describe("the files of a prompt", () => {
  it("are sent at once, and say how far they are", () => {
    const draft = new FileDraft("ses_1");
    draft.add([file()]);
    FakeUpload.all[0]?.progress(1, 4);
    expect(FakeUpload.all[0]?.path).toBe("/api/v1/sessions/ses_1/attachments");
    expect(states(draft)).toMatchObject([{ name: "tea.png", sent: 0.25, attachment: null }]);
    expect(areReady(states(draft))).toBe(false);
  });

  it("are kept over a reload once they have been sent", async () => {
    const draft = new FileDraft("ses_1");
    draft.add([file(), file("b.png")]);
    FakeUpload.all[0]?.answer(201, attachment("att_1"));
    await settled();
    expect(states(new FileDraft("ses_1"))).toMatchObject([{ key: "att_1", sent: 1 }]);
    expect(draft.take().map(({ id }) => id)).toEqual(["att_1"]);
    expect(states(new FileDraft("ses_1"))).toEqual([]);
  });

  it("say why one was not accepted", async () => {
    const draft = new FileDraft("ses_1");
    draft.add([file("a.zip")]);
    FakeUpload.all[0]?.answer(400, {
      error: { code: "not_attachable", message: "It is no picture.", hint: "" },
    });
    await settled();
    expect(states(draft)[0]?.error).toMatchObject({ message: "It is no picture." });
    expect(areReady(states(draft))).toBe(false);
  });

  it("that are too large are not even sent", () => {
    const draft = new FileDraft("ses_1");
    draft.add([file("big.png", 20_000_000)]);
    expect(FakeUpload.all).toEqual([]);
    expect(states(draft)[0]?.error).toMatchObject({ code: "too_large" });
  });

  it("are made smaller first when they are pictures", async () => {
    vi.stubGlobal("createImageBitmap", async () => Promise.reject(new Error("no picture")));
    const draft = new FileDraft("ses_1");
    draft.add([new File([new Uint8Array(11_000_000)], "photo.jpg", { type: "image/jpeg" })]);
    expect(states(draft)[0]?.error).toBeNull();
    await settled();
    expect(FakeUpload.all).toEqual([]);
    expect(states(draft)[0]?.error).toMatchObject({ code: "too_large" });
  });

  it("are at most twenty", () => {
    const draft = new FileDraft("ses_1");
    draft.add(Array.from({ length: 22 }, () => file()));
    expect(states(draft)).toHaveLength(20);
    expect(draft.store.getState().refused).toBe("A prompt can have at most 20 files.");
  });

  it("that are removed while they are on their way are gone", async () => {
    const draft = new FileDraft("ses_1");
    draft.add([file()]);
    draft.remove(states(draft)[0]?.key ?? "");
    await settled();
    expect(states(draft)).toEqual([]);
  });
});
