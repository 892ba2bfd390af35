import { CodeBlock } from "../conversation/CodeBlock";
import { Markdown } from "../conversation/Markdown";
import type { Notebook, NotebookCell, NotebookOutput } from "./notebook";
import "./files.css";

/** A notebook with its outputs, to read. Outputs in HTML are shown as the text that goes with them. */
export function NotebookView({ notebook }: { notebook: Notebook }) {
  return (
    <ol className="notebook prose stack gap-12" aria-label="Cells">
      {notebook.cells.map((cell, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: cells of one content never move
        <li key={index}>
          <Cell cell={cell} language={notebook.language} />
        </li>
      ))}
    </ol>
  );
}

function Cell({ cell, language }: { cell: NotebookCell; language: string }) {
  if (cell.kind === "markdown") return <Markdown text={cell.text} streaming={false} />;
  return (
    <>
      <CodeBlock code={cell.text} language={language} />
      {cell.outputs.map((output, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: outputs of one content never move
        <Output key={index} output={output} />
      ))}
    </>
  );
}

function Output({ output }: { output: NotebookOutput }) {
  if (output.kind === "picture")
    return <img className="answer-picture" src={output.address} alt="Output of the cell" />;
  return <CodeBlock code={output.text} language="output" />;
}
