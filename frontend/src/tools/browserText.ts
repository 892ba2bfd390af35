// The row of a call of the tool `browser`.
import type { ToolCall } from "../api/types";
import { plural } from "../lib/format";
import { numberIn, textIn } from "./facts";

type Verbs = readonly [doing: string, done: string, todo: string];

const VERBS: Readonly<Record<string, Verbs>> = {
  open: ["Opening", "Opened", "Open"],
  text: ["Reading", "Read", "Read"],
  click: ["Clicking", "Clicked", "Click"],
  type: ["Typing into", "Typed into", "Type into"],
  press: ["Pressing", "Pressed", "Press"],
  screenshot: ["Taking a picture of", "Took a picture of", "Take a picture of"],
  console: ["Reading the console of", "Read the console of", "Read the console of"],
  close: ["Closing", "Closed", "Close"],
};
const ANY: Verbs = ["Using", "Used", "Use"];

const actionOf = (call: ToolCall) => textIn(call.arguments, "action");

export const BROWSER_TEXT = {
  icon: "globe" as const,
  verbs: (call: ToolCall): Verbs => {
    const action = actionOf(call);
    return (Object.hasOwn(VERBS, action) && VERBS[action]) || ANY;
  },
  object: (call: ToolCall): string => {
    const { keys } = call.arguments;
    switch (actionOf(call)) {
      case "open":
        return textIn(call.arguments, "url");
      case "click":
      case "type":
        return textIn(call.arguments, "target") || "the page";
      case "press":
        return Array.isArray(keys) ? keys.join(" ") : "keys";
      case "close":
        return "the browser";
      default:
        return textIn(call.metadata, "url") || "the page";
    }
  },
  plain: (call: ToolCall): boolean => actionOf(call) === "close",
  fact: (call: ToolCall): string => {
    const errors = numberIn(call.metadata, "errors");
    return errors ? plural(errors, "error") : "";
  },
};
