// The view below each tool's row. Tools without a view show their arguments and output.
import type { ToolCall } from "../api/types";
import { Batch } from "./Batch";
import { CodeLocations } from "./CodeLocations";
import { Command } from "./Command";
import type { CallView, CallViewProps } from "./callView";
import { FileChange, PatchedFiles } from "./FileChanges";
import { FilePage, MatchList, PathList } from "./FileViews";
import { attachmentsOf, batchOf, childOf, waitsForPerson } from "./facts";
import { PlainView } from "./PlainView";
import { PullRequestCall } from "./PullRequestCall";
import { QuestionAnswers } from "./QuestionAnswers";
import { Skill } from "./Skill";
import { Structured } from "./Structured";
import { SubAgent, SubAgentLive } from "./SubAgent";
import { TodoChange } from "./TodoChange";
import { FetchedPage, SearchResults } from "./WebViews";

interface ToolView {
  Body: CallView;
  /** Whether the body can show the call; others are shown plainly. Default: completed calls. */
  shows?: (call: ToolCall) => boolean;
  /** Shown below the closed row while the call runs. */
  Live?: CallView;
  /** Whether new rows open automatically. */
  opens?: (call: ToolCall) => boolean;
}

const always = () => true;
const hasAttachments = (call: ToolCall) => attachmentsOf(call).length > 0;
const change: ToolView = {
  Body: FileChange,
  shows: (call) =>
    typeof call.metadata.diff === "string" && call.metadata.diff !== "" && call.state !== "error",
  opens: always,
};
const patch: ToolView = { Body: PatchedFiles, opens: always };

const VIEWS: Readonly<Record<string, ToolView>> = {
  read: { Body: FilePage, opens: hasAttachments },
  grep: { Body: MatchList },
  glob: { Body: PathList },
  write: change,
  edit: change,
  multiedit: change,
  apply_patch: patch,
  patch,
  browser: { Body: FilePage, shows: hasAttachments, opens: hasAttachments },
  bash: { Body: Command, shows: always, opens: always },
  task: { Body: SubAgent, shows: always, Live: SubAgentLive },
  todowrite: { Body: TodoChange, opens: always },
  question: { Body: QuestionAnswers, shows: always },
  webfetch: { Body: FetchedPage },
  websearch: { Body: SearchResults },
  codesearch: { Body: SearchResults },
  pull_request: { Body: PullRequestCall, opens: always },
  skill: { Body: Skill },
  lsp: { Body: CodeLocations },
  batch: { Body: Batch, shows: (call) => batchOf(call).length > 0, Live: Batch },
  StructuredOutput: { Body: Structured, opens: always },
};

const viewOf = (tool: string): ToolView | undefined => (Object.hasOwn(VIEWS, tool) ? VIEWS[tool] : undefined);

export function CallBody({ call, renderRow }: CallViewProps) {
  const view = viewOf(call.tool);
  const fits = view && (view.shows ? view.shows(call) : call.state === "completed");
  const Body = fits ? view.Body : PlainView;
  return <Body call={call} renderRow={renderRow} />;
}

/** Progress of a running call while its row is closed. */
export function LiveBody({ call, renderRow }: CallViewProps) {
  const Live = viewOf(call.tool)?.Live;
  return Live && !waitsForPerson(call) && !call.ended_at ? <Live call={call} renderRow={renderRow} /> : null;
}

export const opensAutomatically = (call: ToolCall): boolean => viewOf(call.tool)?.opens?.(call) ?? false;

/** Returns the session of the sub-agent that a call started. */
export const childSessionOf = (call: ToolCall): string =>
  call.tool === "task" ? childOf(call).sessionId : "";
