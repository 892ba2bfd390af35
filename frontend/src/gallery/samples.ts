export const PATCH = `--- a/a.py
+++ b/a.py
@@ -1,3 +1,3 @@
 def add(a, b):
-    return a - b
+    return a + b
 # the end
`;

export const MARKDOWN = `## A heading

A text with **strong**, *emphasis*, \`code\`, ~~struck~~ and a [link](https://example.org).

- [x] done
- [ ] not done

> A quotation.

| Package | Before | After |
| :-- | --: | :-: |
| requests | 2.31.0 | 2.32.3 |
`;
