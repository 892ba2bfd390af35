// Views of reading and searching in the workspace.
import type { ToolCall } from "../api/types";
import { FileLink } from "../files/FileLink";
import { plural } from "../lib/format";
import { Scroller } from "../ui/Scroller";
import { Attachments } from "./Attachments";
import { attachmentsOf, numberIn, shownPath, textIn } from "./facts";
import { NumberedLines } from "./NumberedLines";
import { type FileMatches, noteText, parseMatches, parsePage, parsePaths } from "./output";
import { Output, PlainView } from "./PlainView";
import "./ToolDetail.css";
import "./tools.css";
import "./views.css";

/** A part of a file, a folder listing, or a picture. */
export function FilePage({ call }: { call: ToolCall }) {
  const files = attachmentsOf(call);
  if (files.length > 0) return <Attachments files={files} />;
  const page = parsePage(call.output);
  if (!page) return <Output call={call} />;
  return (
    <>
      <Scroller className="output output-lines" label="Lines of the file" testId="file-page">
        <NumberedLines lines={page.lines} />
      </Scroller>
      {page.notes && <p className="call-note small muted break-anywhere pre-wrap">{noteText(page.notes)}</p>}
    </>
  );
}

/** Search matches by file. */
export function MatchList({ call }: { call: ToolCall }) {
  const { files, notes } = parseMatches(call.output);
  if (files.length === 0 && notes.length === 0) return <PlainView call={call} />;
  const pattern = textIn(call.arguments, "pattern");
  return (
    <>
      <Scroller className="output output-lines" label="Matches by file" testId="match-list">
        {files.map((file) => (
          <MatchesOfFile key={file.path} file={file} pattern={pattern} />
        ))}
      </Scroller>
      <Notes notes={notes} />
    </>
  );
}

function MatchesOfFile({ file, pattern }: { file: FileMatches; pattern: string }) {
  const path = shownPath(file.path);
  return (
    <section data-testid="matches-of-file">
      <p className="lines-head flex between gap-12 small ruled">
        <FileLink path={path} line={file.lines[0]?.number ?? 0} />
        <span className="muted number">{plural(file.lines.length, "match", "matches")}</span>
      </p>
      <NumberedLines lines={file.lines} mark={pattern} />
    </section>
  );
}

/** Paths of found files, newest first. */
export function PathList({ call }: { call: ToolCall }) {
  const count = numberIn(call.metadata, "count") ?? 0;
  if (count === 0) return <PlainView call={call} />;
  const { paths, notes } = parsePaths(call.output, count);
  return (
    <>
      <Scroller className="output" label="Files found" testId="path-list">
        <ul className="path-list stack gap-2">
          {paths.map((path) => (
            <li key={path}>
              <FileLink path={shownPath(path)} />
            </li>
          ))}
        </ul>
      </Scroller>
      <Notes notes={notes} />
    </>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return notes.map((note) => (
    <p key={note} className="call-note small muted break-anywhere pre-wrap">
      {note}
    </p>
  ));
}
