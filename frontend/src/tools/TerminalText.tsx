import { PaintedText } from "../ui/PaintedText";
import { colouredOutput, plainOutput } from "./output";

/** The output of a program as a terminal shows it: with its colours, without other escape sequences. */
export function TerminalText({ output }: { output: string }) {
  const text = plainOutput(output);
  if (!output.includes("\u001b[")) return text;
  return <PaintedText text={text} source={colouredOutput(output)} kind="terminal" />;
}
