import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { completeMcpArgument, type McpPrompt } from "../api/mcp";
import { visibleLine } from "../lib/visible";
import { TextField } from "../ui/TextField";
import { useDebounced } from "../ui/useDebounced";

interface ArgumentFieldProps {
  sessionId: string;
  prompt: McpPrompt;
  argument: McpPrompt["arguments"][number];
  /** The values of all arguments so far. */
  values: Record<string, string>;
  onText: (text: string) => void;
}

/** An argument of a prompt of an MCP server, with the values that the server suggests while one types. */
export function ArgumentField({ sessionId, prompt, argument, values, onText }: ArgumentFieldProps) {
  const { name, description, required } = argument;
  const id = useId();
  const [isFocused, setFocused] = useState(false);
  const { [name]: value = "", ...others } = values;
  const suggested = useSuggested(sessionId, prompt, name, value, others, isFocused && prompt.completes);
  return (
    <>
      <TextField
        label={visibleLine(name)}
        hint={visibleLine(description)}
        required={required}
        autoComplete="off"
        list={prompt.completes ? id : undefined}
        value={value}
        onText={onText}
        onFocus={() => setFocused(true)}
        onBlur={() => setFocused(false)}
      />
      {prompt.completes && (
        <datalist id={id}>
          {suggested.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  );
}

/** Suggestions of the server. It is not asked again while the ones it gave are all that it knows. */
function useSuggested(
  sessionId: string,
  prompt: McpPrompt,
  argument: string,
  value: string,
  others: Record<string, string>,
  needed: boolean,
): readonly string[] {
  const typed = useDebounced(value, 300);
  const [asked, setAsked] = useState("");
  const found = useQuery({
    queryKey: ["mcp-completion", sessionId, prompt.server_id, prompt.name, argument, asked, others],
    queryFn: () => completeMcpArgument(sessionId, prompt, { argument, value: asked, arguments: others }),
    enabled: needed,
    retry: false,
    staleTime: 30_000,
    placeholderData: (before) => before,
  });
  const knowsMore = found.data === undefined || found.data.has_more;
  if (typed !== asked && (knowsMore || !typed.startsWith(asked))) setAsked(typed);
  return found.data?.values ?? [];
}
