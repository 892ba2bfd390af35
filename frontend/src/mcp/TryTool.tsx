import { type FormEvent, useId, useState } from "react";
import { type McpToolRule, type McpTryResult, tryMcpTool } from "../api/mcp";
import { visible } from "../lib/visible";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Scroller } from "../ui/Scroller";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { argumentsOf, type SchemaField, schemaFields } from "./schemaFields";

interface TryToolProps {
  serverId: string;
  /** The id of the tool, and the schema of its arguments. */
  tool: { id: string; parameters: Record<string, unknown> };
  rule: McpToolRule;
  workspaceId: string;
}

/** Calls a tool with arguments from a form. Where the rules ask, sending the form is the answer, which it says. */
export function TryTool({ serverId, tool, rule, workspaceId }: TryToolProps) {
  const fields = schemaFields(tool.parameters);
  const [texts, setTexts] = useState<Record<string, string>>({});
  const [result, setResult] = useState<McpTryResult | null>(null);
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setResult(null);
    void run(async () => {
      const call = { tool: tool.id, arguments: argumentsOf(fields, texts), confirmed: rule.action === "ask" };
      setResult(await tryMcpTool(workspaceId, serverId, call));
    });
  };
  return (
    <form className="token-form" onSubmit={submit} aria-label={`Try ${tool.id}`}>
      {fields.map((field) => (
        <ArgumentField
          key={field.name}
          field={field}
          text={texts[field.name] ?? field.start}
          onText={(text) => setTexts((now) => ({ ...now, [field.name]: text }))}
        />
      ))}
      {error !== null && <FieldsProblem error={error} />}
      <button type="submit" className="button" disabled={busy || !workspaceId}>
        {busy ? "Calling…" : rule.action === "ask" ? "Allow once and call" : "Call"}
      </button>
      {result && <Result result={result} name={tool.id} />}
    </form>
  );
}

interface ArgumentFieldProps {
  field: SchemaField;
  text: string;
  onText: (text: string) => void;
}

function ArgumentField({ field, text, onText }: ArgumentFieldProps) {
  const id = useId();
  const label = field.required ? field.name : `${field.name} (optional)`;
  if (field.kind === "text" || field.kind === "number")
    return (
      <TextField
        label={label}
        hint={visible(field.about)}
        inputMode={field.kind === "number" ? "decimal" : "text"}
        autoComplete="off"
        spellCheck={false}
        required={field.required && field.kind === "number"}
        value={text}
        onText={onText}
      />
    );
  const choices = field.kind === "boolean" ? ["true", "false"] : field.choices;
  return (
    <div className="field">
      <label htmlFor={id}>{field.kind === "json" ? `${label}, as JSON` : label}</label>
      {field.kind === "json" ? (
        <textarea
          id={id}
          className="mono"
          rows={2}
          spellCheck={false}
          required={field.required}
          value={text}
          onChange={(event) => onText(event.target.value)}
        />
      ) : (
        <select
          id={id}
          required={field.required}
          value={text}
          onChange={(event) => onText(event.target.value)}
        >
          <option value="" />
          {choices.map((choice) => (
            <option key={choice} value={choice}>
              {choice}
            </option>
          ))}
        </select>
      )}
      {field.about && <p className="small muted">{visible(field.about)}</p>}
    </div>
  );
}

function Result({ result, name }: { result: McpTryResult; name: string }) {
  return (
    <div className="stack gap-8 full-row" role="status" data-testid="mcp-try-result">
      <p className={result.failed ? "text-failed" : "muted"}>
        {result.failed ? "The call failed" : "The tool answered"} after {result.seconds} s
        {result.truncated && "; the answer is cut"}.
      </p>
      <Scroller className="mcp-text mono small boxed" label={`Answer of ${name}`}>
        <pre className="pre-wrap break-anywhere">{visible(result.output)}</pre>
      </Scroller>
    </div>
  );
}
