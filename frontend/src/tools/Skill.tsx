import type { ToolCall } from "../api/types";
import { Markdown } from "../conversation/Markdown";
import { Scroller } from "../ui/Scroller";
import { shownPath, textIn } from "./facts";
import { PathLabel } from "./PathLabel";
import { PlainView } from "./PlainView";
import "./ToolDetail.css";
import "./tools.css";
import "./views.css";

/** Returns the skill's text without the note about its folder, which is shown separately. */
export const skillText = (output: string): string =>
  output.replace(/\n\nPaths in this skill are relative to its folder, [\s\S]*$/, "");

/** The instructions of a loaded skill and its files. */
export function Skill({ call }: { call: ToolCall }) {
  const folder = shownPath(textIn(call.metadata, "folder"));
  const files = Array.isArray(call.metadata.files) ? call.metadata.files : [];
  const names = files.filter((file): file is string => typeof file === "string");
  if (!call.output) return <PlainView call={call} />;
  return (
    <>
      {folder && (
        <div className="page-head flow gap-12 gap-y-2 small break-anywhere">
          <PathLabel path={folder} />
        </div>
      )}
      <Scroller className="output page-text" label="The skill" testId="skill">
        <Markdown text={skillText(call.output)} streaming={false} />
      </Scroller>
      {names.length > 0 && (
        <ul className="path-list stack gap-2 skill-files" aria-label="Files of the skill">
          {names.map((name) => (
            <li key={name}>
              <PathLabel path={shownPath(name)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
