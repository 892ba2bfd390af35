import type { PermissionNeed } from "../api/types";
import { splitPatch } from "../lib/diff";
import { visible, visibleLine } from "../lib/visible";
import { PatchedFile } from "../tools/FileChanges";
import { type ChangedFile, patchFilesOf } from "../tools/facts";
import { Arguments } from "../tools/PlainView";
import { DiffView } from "../ui/DiffView";
import { CommandFacts } from "./CommandFacts";
import { AccountNeed, ChangedToolNeed, McpNeed, McpServerNeed } from "./McpNeed";
import { MemoryNeed } from "./MemoryNeed";
import { NeedText } from "./NeedText";
import { PullRequestNeed } from "./PullRequestNeed";
import { subjectOf, textOf } from "./requestLabels";
import { factsOfNeed, withoutRepeating } from "./shellFacts";
import "./cards.css";

/** Returns the files of a patch with their parts of the diff; empty if there is only one file. */
function filesOf(need: PermissionNeed, diff: string): ChangedFile[] {
  const files = patchFilesOf(need.metadata);
  const pieces = splitPatch(diff);
  if (files.length < 2 || pieces.length !== files.length) return [];
  return files.map((file, index) => ({ ...file, diff: pieces[index] ?? "" }));
}

/** The arguments of a call that is repeated; null if it has none. */
function argumentsOf({ metadata }: PermissionNeed) {
  const { arguments: args, raw_arguments: raw } = metadata;
  const known = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  const text = typeof raw === "string" ? raw : "";
  return Object.keys(known).length > 0 || text ? { arguments: known, raw_arguments: text } : null;
}

/** One permission that a call needs: its command, change or path. */
export function NeedDetails({ need }: { need: PermissionNeed }) {
  if (need.permission === "pull_request") return <PullRequestNeed need={need} />;
  if (need.permission === "memory") return <MemoryNeed need={need} />;
  if (need.permission === "changed_tool") return <ChangedToolNeed need={need} />;
  if (need.permission === "mcp_server") return <McpServerNeed need={need} />;
  if (need.permission === "mcp_account") return <AccountNeed need={need} />;
  return "mcp" in need.metadata ? <McpNeed need={need} /> : <UsualNeed need={need} />;
}

function UsualNeed({ need }: { need: PermissionNeed }) {
  const command = textOf(need, "command");
  const diff = textOf(need, "diff");
  const description = textOf(need, "description");
  const facts = factsOfNeed(need);
  const files = filesOf(need, diff);
  const subject = subjectOf(need);
  const prompt = textOf(need, "prompt");
  const repeated = argumentsOf(need);
  if (!description && !command && !subject && !diff && !prompt) return null;
  return (
    <div className="need boxed">
      {description && <p className="need-description muted">{visibleLine(description)}</p>}
      {command ? (
        <div className="command mono flex align-start">
          <span aria-hidden="true">$</span>
          <code>{visible(command)}</code>
        </div>
      ) : (
        subject && (
          <p className="need-subject break-anywhere">
            <code>{visibleLine(subject)}</code>
          </p>
        )
      )}
      {repeated && (
        <div className="need-arguments ruled-top">
          <Arguments call={repeated} />
        </div>
      )}
      {facts && <CommandFacts facts={withoutRepeating(facts, command)} />}
      {prompt && <NeedText>{visible(prompt)}</NeedText>}
      {files.length > 0
        ? files.map((file) => <PatchedFile key={file.path} file={file} startOpen={files.length <= 3} />)
        : diff && <DiffView patch={diff} path={`of the request: ${subject}`} />}
    </div>
  );
}
