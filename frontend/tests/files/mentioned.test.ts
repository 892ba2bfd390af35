import { expect, test } from "vitest";
import { mentionedFile } from "../../src/files/mentioned";

test.each([
  ["teashop/pricing.py", { path: "teashop/pricing.py", line: 0 }],
  ["teashop/pricing.py:25", { path: "teashop/pricing.py", line: 25 }],
  ["pricing.py:25:3", { path: "pricing.py", line: 25 }],
  ["/workspace/src/a.ts", { path: "src/a.ts", line: 0 }],
  ["/home/agent/.tool-output/x.txt", { path: "/home/agent/.tool-output/x.txt", line: 0 }],
])("%s names a file", (text, file) => {
  expect(mentionedFile(text)).toEqual(file);
});

test.each([
  "pricing.py",
  "os.path",
  "https://example.org/a.html",
  "../etc/passwd.txt",
  "a b/c.py",
  "1.5",
  "make test",
])("%s names no file of the workspace", (text) => {
  expect(mentionedFile(text)).toBeNull();
});
