import type { ToolCall } from "../api/types";
import { Markdown } from "../conversation/Markdown";
import { FileLink } from "../files/FileLink";
import { plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { Scroller } from "../ui/Scroller";
import { type CodeLocation, codeLocationsOf, textIn } from "./facts";
import { noteText } from "./output";
import { Output, PlainView } from "./PlainView";
import "./tools.css";
import "./views.css";

/** Locations that the language server found, by file. */
export function CodeLocations({ call }: { call: ToolCall }) {
  const places = codeLocationsOf(call);
  if (places.length === 0) return call.output ? <Output call={call} /> : <PlainView call={call} />;
  if (textIn(call.arguments, "operation") === "hover") return <SymbolText text={call.output} />;
  const last = call.output.split("\n").pop() ?? "";
  return (
    <>
      <LocationList places={places} />
      {last.startsWith("(") && (
        <p className="call-note small muted break-anywhere pre-wrap">{noteText(last)}</p>
      )}
    </>
  );
}

/** The language server's description of a symbol, as Markdown. */
function SymbolText({ text }: { text: string }) {
  return (
    <Scroller className="output page-text" label="About the symbol" testId="code-told">
      <Markdown text={text} streaming={false} />
    </Scroller>
  );
}

function LocationList({ places }: { places: readonly CodeLocation[] }) {
  return (
    <Scroller className="output output-lines" label="Locations in the code" testId="code-places">
      {[...byFile(places)].map(([path, found]) => (
        <section key={path} data-testid="places-of-file">
          <p className="lines-head flex between gap-12 small ruled">
            <FileLink path={path} line={found[0]?.line ?? 0} />
            <span className="muted number">{plural(found.length, "place")}</span>
          </p>
          <table className="lines mono small">
            <tbody>
              {found.map((place, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: the places of one call never move
                <tr key={index}>
                  <td className="line-number number">
                    {place.line}:{place.character}
                  </td>
                  <td className="line-text">{visibleLine(place.text)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      ))}
    </Scroller>
  );
}

function byFile(places: readonly CodeLocation[]): Map<string, CodeLocation[]> {
  const files = new Map<string, CodeLocation[]>();
  for (const place of places) files.set(place.path, [...(files.get(place.path) ?? []), place]);
  return files;
}
