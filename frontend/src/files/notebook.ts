// Reads Jupyter notebooks: cells with their outputs. What is missing or malformed is left out.

export type NotebookOutput = { kind: "text"; text: string } | { kind: "picture"; address: string };

export interface NotebookCell {
  kind: "markdown" | "code";
  text: string;
  outputs: readonly NotebookOutput[];
}

export interface Notebook {
  language: string;
  cells: readonly NotebookCell[];
}

type Facts = Record<string, unknown>;

const factsOf = (value: unknown): Facts =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Facts) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

/** Texts are strings, or lists of lines with their ends. */
const textOf = (value: unknown): string =>
  typeof value === "string"
    ? value
    : listOf(value)
        .filter((line) => typeof line === "string")
        .join("");

/** The notebook in the text of a file; null if it is none. */
export function readNotebook(text: string): Notebook | null {
  let file: Facts;
  try {
    file = factsOf(JSON.parse(text));
  } catch {
    return null;
  }
  if (!Array.isArray(file.cells)) return null;
  const language = textOf(factsOf(factsOf(file.metadata).language_info).name) || "python";
  return { language, cells: file.cells.map((cell) => cellOf(factsOf(cell))) };
}

function cellOf(cell: Facts): NotebookCell {
  const kind = cell.cell_type === "code" ? "code" : "markdown";
  return {
    kind,
    text: textOf(cell.source),
    outputs: listOf(cell.outputs).flatMap((one) => outputOf(factsOf(one))),
  };
}

function outputOf(output: Facts): NotebookOutput[] {
  if (output.output_type === "error")
    return asText(
      listOf(output.traceback)
        .filter((line) => typeof line === "string")
        .join("\n"),
    );
  if (output.output_type === "stream") return asText(textOf(output.text));
  const data = factsOf(output.data);
  for (const type of ["image/png", "image/jpeg"]) {
    const picture = textOf(data[type]).replace(/\s/g, "");
    if (/^[A-Za-z0-9+/=]+$/.test(picture))
      return [{ kind: "picture", address: `data:${type};base64,${picture}` }];
  }
  return asText(textOf(data["text/plain"]));
}

const asText = (text: string): NotebookOutput[] => (text === "" ? [] : [{ kind: "text", text }]);
