import { expect, test } from "vitest";
import { pathOf } from "../../src/preview/path";

test.each([
  ["", "/"],
  ["/", "/"],
  ["cart", "/cart"],
  ["/cart?tea=green", "/cart?tea=green"],
  ["/ä b#part", "/%C3%A4%20b"],
  ["//evil.example/x", "/evil.example/x"],
  ["\\\\evil.example", "/evil.example"],
  ["http://localhost:5173/cart", "/cart"],
])("%j is the path %j", (typed, path) => {
  expect(pathOf(typed)).toBe(path);
});
