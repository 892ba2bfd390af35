import { expect, test } from "vitest";
import { linkedPreview, previewFragment } from "../../src/preview/link";

test("a link leads to the port and path that it was made for", () => {
  const place = { port: 5173, path: "/cart?tea=green" };
  expect(previewFragment(place)).toBe("#preview=5173/cart?tea=green");
  expect(linkedPreview(previewFragment(place))).toEqual(place);
  expect(linkedPreview("#preview=5173")).toEqual({ port: 5173, path: "/" });
});

test.each(["", "#msg_1", "#preview=", "#preview=0/", "#preview=123456/", "#preview=5173x"])(
  "%j leads to no preview",
  (fragment) => {
    expect(linkedPreview(fragment)).toBeNull();
  },
);
