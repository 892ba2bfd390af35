// Lets xterm work under a content security policy that forbids inline styles. xterm writes rules into style elements and
// style attributes of spans, on the page's own document. While a terminal is shown, a substitute for each style element
// adopts its rules as a style sheet, and spans set their style attribute as properties, both of which the policy allows.

let users = 0;
const sheets = new Set<CSSStyleSheet>();

/** Replaces xterm's inline styles from now on; returns a function that stops it. */
export function beginStrictStyles(): () => void {
  if (users === 0) document.createElement = createStrictly as typeof document.createElement;
  users += 1;
  return () => {
    users -= 1;
    if (users > 0) return;
    Reflect.deleteProperty(document, "createElement");
    document.adoptedStyleSheets = document.adoptedStyleSheets.filter((sheet) => !sheets.has(sheet));
    sheets.clear();
  };
}

function createStrictly(name: string, options?: ElementCreationOptions): HTMLElement {
  const isStyle = name === "style"; // even an empty one in the page is against the policy
  const element = Document.prototype.createElement.call(document, isStyle ? "template" : name, options);
  if (isStyle) adoptRules(element);
  else if (name === "span") setStylesAsProperties(element);
  return element;
}

function adoptRules(element: HTMLElement): void {
  const sheet = new CSSStyleSheet();
  sheets.add(sheet);
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  Object.defineProperty(element, "textContent", {
    get: () => "",
    set: (rules: string) => sheet.replaceSync(rules),
  });
}

function setStylesAsProperties(element: HTMLElement): void {
  element.setAttribute = (name, value) => {
    if (name === "style") element.style.cssText = value;
    else Element.prototype.setAttribute.call(element, name, value);
  };
}
