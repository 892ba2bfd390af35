// Views of web pages and search results. Their content is untrusted: text is sanitized, and URLs become plain
// external links.
import { useState } from "react";
import type { ToolCall } from "../api/types";
import { Markdown } from "../conversation/Markdown";
import { formatBytes } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { Icon } from "../ui/Icon";
import { Scroller } from "../ui/Scroller";
import { Attachments } from "./Attachments";
import { attachmentsOf, numberIn, type SearchResult, searchResultsOf, textIn, webAddress } from "./facts";
import { Output, PlainView } from "./PlainView";
import "./tools.css";
import "./views.css";

export function OutLink({ url, children }: { url: string; children: string }) {
  const address = webAddress(url);
  if (!address) return <span>{visibleLine(children)}</span>;
  return (
    <a className="link out-link" href={address} target="_blank" rel="noopener noreferrer">
      {visibleLine(children)} <Icon name="out" size={12} />
    </a>
  );
}

/** A fetched page: its final URL and its text. */
export function FetchedPage({ call }: { call: ToolCall }) {
  const files = attachmentsOf(call);
  return (
    <>
      <PageHead call={call} />
      {files.length > 0 ? <Attachments files={files} /> : <PageText call={call} />}
    </>
  );
}

function PageHead({ call }: { call: ToolCall }) {
  const url = textIn(call.metadata, "url") || textIn(call.arguments, "url");
  const final = textIn(call.metadata, "final_url") || url;
  const followed = numberIn(call.metadata, "status") !== 0;
  return (
    <div className="page-head flow gap-12 gap-y-2 small break-anywhere">
      <OutLink url={followed ? final : url}>{followed ? final : url}</OutLink>
      {followed && final !== url && <span className="muted">Redirected from {visibleLine(url)}</span>}
      {!followed && <span className="muted">Redirects to {visibleLine(final)}, which was not followed</span>}
      {followed && <span className="muted number">{pageFacts(call)}</span>}
    </div>
  );
}

function pageFacts({ metadata }: ToolCall): string {
  const status = numberIn(metadata, "status");
  const bytes = numberIn(metadata, "bytes");
  return [
    status === null ? "" : `Status ${status}`,
    textIn(metadata, "media_type"),
    bytes === null ? "" : formatBytes(bytes),
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The text of a page; Markdown can be shown rendered or as the text that the model got. */
function PageText({ call }: { call: ToolCall }) {
  const [asText, setAsText] = useState(false);
  const isMarkdown = (textIn(call.metadata, "format") || textIn(call.arguments, "format")) === "markdown";
  if (!isMarkdown || asText || !call.output) {
    return (
      <>
        {isMarkdown && call.output && <ShowAs asText={asText} onChange={setAsText} id={call.id} />}
        <Output call={call} />
      </>
    );
  }
  return (
    <>
      <ShowAs asText={asText} onChange={setAsText} id={call.id} />
      <Scroller className="output page-text" label="The page" testId="fetched-page">
        <Markdown text={call.output} streaming={false} />
      </Scroller>
    </>
  );
}

interface ShowAsProps {
  asText: boolean;
  onChange: (asText: boolean) => void;
  id: string;
}

function ShowAs({ asText, onChange, id }: ShowAsProps) {
  return (
    <fieldset className="segments">
      <legend className="sr-only">Show the page as</legend>
      {[false, true].map((text) => (
        <label key={String(text)}>
          <input type="radio" name={`show-${id}`} checked={asText === text} onChange={() => onChange(text)} />
          {text ? "Text" : "Page"}
        </label>
      ))}
    </fieldset>
  );
}

/** Search results with URL and excerpt. */
export function SearchResults({ call }: { call: ToolCall }) {
  const results = searchResultsOf(call);
  if (results.length === 0) return <PlainView call={call} />;
  return (
    <Scroller className="output" label="Search results" testId="search-results">
      <ol className="results stack gap-12">
        {results.map((result, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the results of one call never move
          <Result key={index} result={result} />
        ))}
      </ol>
    </Scroller>
  );
}

function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return "";
  }
}

function Result({ result }: { result: SearchResult }) {
  const host = hostOf(result.url);
  return (
    <li>
      <p className="flow gap-y-0 break-anywhere">
        <OutLink url={result.url}>{result.title || result.url || "Untitled"}</OutLink>
        {host && <span className="muted">{host}</span>}
      </p>
      {result.text && <p className="result-text small muted break-anywhere">{result.text}</p>}
    </li>
  );
}
