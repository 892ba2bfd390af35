import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { readSystemPrompt, type SystemPrompt } from "../api/context";
import { formatCount, plural } from "../lib/format";
import { visible, visibleLine } from "../lib/visible";
import { Dialog } from "../ui/Dialog";
import { Problem, Skeleton } from "../ui/Notice";
import "./context.css";

/** Opens the system prompt that an answer was made with. */
export function SystemPromptButton({
  messageId,
  label = "System prompt as it was sent",
}: {
  messageId: string;
  label?: string;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className="link system-prompt-link" onClick={() => setOpen(true)}>
        {label}
      </button>
      <Dialog open={isOpen} onClose={() => setOpen(false)} title="System prompt as it was sent">
        <Loader messageId={messageId} />
      </Dialog>
    </>
  );
}

function Loader({ messageId }: { messageId: string }) {
  const found = useQuery({
    queryKey: ["system-prompt", messageId],
    queryFn: () => readSystemPrompt(messageId),
    retry: false,
  });
  if (found.error) return <Problem error={found.error} />;
  if (!found.data) return <Skeleton rows={8} label="Loading the system prompt" />;
  return <Shown prompt={found.data} />;
}

function Shown({ prompt }: { prompt: SystemPrompt }) {
  const files = prompt.blocks.filter((block) => block.kind === "instructions").map((block) => block.name);
  const namesOf = (kind: SystemPrompt["blocks"][number]["kind"]) =>
    prompt.blocks.filter((block) => block.kind === kind).flatMap((block) => block.names);
  const [skills, notes] = [namesOf("skills"), namesOf("memory")];
  return (
    <div className="system-prompt stack gap-12">
      <dl className="stack gap-4 small">
        <Fact name="Agent and model" value={`${prompt.agent}, ${prompt.model}`} />
        <Fact name="Instructions" value={files.join(", ") || "none"} />
        <Fact name="Skills listed" value={skills.join(", ") || "none"} />
        {notes.length > 0 && <Fact name="Memory" value={plural(notes.length, "note")} />}
        <Fact
          name="Tools"
          value={`${plural(prompt.tools.length, "tool")}, about ${formatCount(
            prompt.tools.reduce((sum, tool) => sum + tool.tokens, 0),
          )} tokens: ${prompt.tools.map((tool) => tool.name).join(", ")}`}
        />
      </dl>
      <section
        className="system-prompt-text boxed pre-wrap mono small"
        aria-label="System prompt"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it only when it can take the focus
        tabIndex={0}
      >
        {visible(prompt.text)}
      </section>
    </div>
  );
}

function Fact({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt className="muted">{name}</dt>
      <dd className="break-anywhere">{visibleLine(value)}</dd>
    </div>
  );
}
