import { act, cleanup, render, renderHook, screen } from "@testing-library/react";
import { afterEach, expect, it, vi } from "vitest";
import { Uploads, useUploads } from "../../src/files/Uploads";
import { filesChosen } from "../../src/uploads/source";
import { serve } from "../support/render";

const file = (name: string) => new File(["x"], name);
const chosen = (path: string): File => {
  const made = file(path.slice(path.lastIndexOf("/") + 1));
  Object.defineProperty(made, "webkitRelativePath", { value: path });
  return made;
};

afterEach(() => {
  cleanup();
  vi.unstubAllGlobals();
});

it("uploads a folder with its paths, without packages that set-up installs", async () => {
  const asked = serve({});
  const uploads = renderHook(() => useUploads("ses_1")).result;
  const files = filesChosen([chosen("shop/src/a.py"), chosen("shop/node_modules/b.js"), file("alone.txt")]);
  await act(async () => expect(await uploads.current.begin("lib", files)).toBe(true));
  const paths = asked.filter(({ method }) => method === "POST").map(({ query }) => decodeURIComponent(query));
  expect(paths).toEqual(["?path=lib/shop/src/a.py", "?path=lib/alone.txt"]);
});

it("uploads nothing of a folder with too many files, and says what to do", async () => {
  const asked = serve({});
  const uploads = renderHook(() => useUploads("ses_1")).result;
  const files = Array.from({ length: 1_001 }, (_, number) => ({ path: `${number}.txt`, file: file("x") }));
  await act(async () => expect(await uploads.current.begin(".", files)).toBe(false));
  expect(asked).toEqual([]);
  render(<Uploads state={uploads.current} />);
  expect(screen.getByRole("alert").textContent).toContain("at most");
});
