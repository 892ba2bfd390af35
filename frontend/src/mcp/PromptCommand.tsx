import { type FormEvent, useState } from "react";
import { getMcpPrompt, type McpPrompt } from "../api/mcp";
import { visibleLine } from "../lib/visible";
import { Dialog } from "../ui/Dialog";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { ArgumentField } from "./ArgumentField";

interface PromptCommandProps {
  sessionId: string;
  prompt: McpPrompt;
  onClose: () => void;
  /** Gets the text, which is put into the prompt box: the person reads it before sending it. */
  onText: (text: string) => void;
}

/** A prompt of an MCP server as a slash command: asks for its arguments and gets its text. */
export function PromptCommand({ sessionId, prompt, onClose, onText }: PromptCommandProps) {
  const [values, setValues] = useState<Record<string, string>>({});
  const { run, busy, error } = useAction();
  const isReady = prompt.arguments.every(({ name, required }) => !required || values[name]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => onText((await getMcpPrompt(sessionId, prompt, values)).text));
  };
  return (
    <Dialog title={`/${visibleLine(prompt.server)}:${visibleLine(prompt.name)}`} open onClose={onClose}>
      <form className="stack gap-12" onSubmit={submit}>
        <p className="muted break-anywhere">{visibleLine(prompt.description || prompt.title)}</p>
        {prompt.arguments.map((argument) => (
          <ArgumentField
            key={argument.name}
            sessionId={sessionId}
            prompt={prompt}
            argument={argument}
            values={values}
            onText={(text) =>
              setValues(({ [argument.name]: _, ...others }) =>
                text === "" ? others : { ...others, [argument.name]: text },
              )
            }
          />
        ))}
        {error !== null && <Problem error={error} />}
        <p className="small muted">The server writes the text. Read it before you send it.</p>
        <button type="submit" className="button primary" disabled={busy || !isReady}>
          {busy ? "Asking the server" : "Put it into the prompt"}
        </button>
      </form>
    </Dialog>
  );
}
