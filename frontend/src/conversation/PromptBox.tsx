import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { abortSession, changeSession } from "../api/endpoints";
import { useKeys } from "../app/keys";
import { useAgents, useMe } from "../app/queries";
import { useConnection, useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { usePrompt } from "./PromptContext";

export function PromptBox({ sessionId }: { sessionId: string }) {
  const { draft, setDraft, error, send } = usePrompt();
  const canAct = useLive((state) => state.canAct);
  const loaded = useLive((state) => state.seq !== null);
  const busy = useLive((state) => state.session?.status !== "idle" && state.session !== null);
  const box = useRef<HTMLTextAreaElement>(null);
  useKeys({ "/": () => box.current?.focus() });
  useGrowing(box, draft);
  if (loaded && !canAct) {
    return (
      <div className="dock">
        <p className="dock-viewer muted">
          You can watch this session. Your role in the team cannot act in it.
        </p>
      </div>
    );
  }
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === "Escape") box.current?.blur();
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    if (draft.trim()) void send(draft);
  };
  return (
    <div className="dock">
      <form
        className="prompt"
        onSubmit={(event) => {
          event.preventDefault();
          void send(draft);
          box.current?.focus();
        }}
      >
        {error !== null && <Problem error={error} />}
        <WaitingHint />
        <textarea
          ref={box}
          rows={1}
          aria-label="Prompt"
          placeholder={busy ? "Add something while the agent works" : "Ask for a change, or a question"}
          value={draft}
          onChange={(event) => setDraft(event.target.value)}
          onKeyDown={onKey}
        />
        <div className="prompt-foot">
          <AgentPicker sessionId={sessionId} />
          <ModelName />
          <span className="top-space" />
          {busy && <StopButton sessionId={sessionId} />}
          <button type="submit" className="button primary" disabled={!draft.trim() || !loaded}>
            {busy ? "Queue" : "Send"}
            <Icon name="send" size={14} />
          </button>
        </div>
      </form>
    </div>
  );
}

/** As high as its text, up to what the style sheet allows. */
function useGrowing(box: React.RefObject<HTMLTextAreaElement | null>, text: string): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the height follows the text
  useEffect(() => {
    const area = box.current;
    if (!area) return;
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight}px`;
  }, [text]);
}

/** Whether any card that waits can be seen in the conversation. */
function useCardInView(count: number): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    setSeen(count > 0);
    const cards = document.querySelectorAll(".conversation .card");
    if (count === 0 || cards.length === 0) return;
    const visible = new Set<Element>();
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) visible.add(entry.target);
        else visible.delete(entry.target);
      }
      setSeen(visible.size > 0);
    });
    for (const card of cards) observer.observe(card);
    return () => observer.disconnect();
  }, [count]);
  return seen;
}

/** When the card that waits is out of sight, this line leads to it. */
function WaitingHint() {
  const count = useLive(
    (state) =>
      Object.values(state.requests).filter((item) => item.state === "open").length +
      Object.values(state.questions).filter((item) => item.state === "open").length,
  );
  const inView = useCardInView(count);
  if (count === 0 || inView) return null;
  const show = () => {
    const card = document.querySelector<HTMLElement>(".conversation .card");
    card?.scrollIntoView({ block: "center" });
    card?.querySelector<HTMLElement>("button, input")?.focus({ preventScroll: true });
  };
  return (
    <p className="waiting-hint">
      <Icon name="wait" size={14} />
      {count === 1 ? "The agent waits for your answer." : `${count} calls wait for your answer.`}
      <button type="button" className="link" onClick={show}>
        Show
      </button>
    </p>
  );
}

function StopButton({ sessionId }: { sessionId: string }) {
  const connection = useConnection();
  const [stopping, setStopping] = useState(false);
  const stop = async () => {
    setStopping(true);
    try {
      connection.showSession(await abortSession(sessionId));
    } finally {
      setStopping(false);
    }
  };
  return (
    <button type="button" className="button stop" disabled={stopping} onClick={() => void stop()}>
      <Icon name="stop" size={14} />
      {stopping ? "Stopping" : "Stop"}
    </button>
  );
}

function AgentPicker({ sessionId }: { sessionId: string }) {
  const connection = useConnection();
  const agent = useLive((state) => state.session?.agent ?? "");
  const agents = useAgents().data?.items.filter((item) => item.mode !== "subagent") ?? [];
  if (!agent) return null;
  const names = agents.some((item) => item.name === agent)
    ? agents
    : [{ name: agent, description: "", mode: "primary" }, ...agents];
  const description = names.find((item) => item.name === agent)?.description;
  return (
    <select
      className="inline-select"
      aria-label="Agent"
      title={description}
      value={agent}
      onChange={async (event) =>
        connection.showSession(await changeSession(sessionId, { agent: event.target.value }))
      }
    >
      {names.map((item) => (
        <option key={item.name} value={item.name}>
          {item.name}
        </option>
      ))}
    </select>
  );
}

function ModelName() {
  const chosen = useLive((state) => state.session?.model ?? "");
  const usual = useMe().data?.site.model;
  return <span className="model-name">{chosen || usual}</span>;
}
