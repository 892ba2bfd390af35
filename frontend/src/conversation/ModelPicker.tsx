import { type KeyboardEvent, useId, useRef, useState } from "react";
import { changeSession } from "../api/endpoints";
import type { OfferedModel } from "../api/providers";
import { useMe } from "../app/queries";
import { useModels } from "../providers/queries";
import { priceWords } from "../providers/words";
import { useConnection, useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";

const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowDown: (at, count) => (at + 1) % count,
  ArrowUp: (at, count) => (at - 1 + count) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

interface ModelPickerProps {
  /** What the agent asks for, which counts where nobody chose for the session. */
  ofAgent: string;
}

/** Which model answers from the next step on. Opens above the prompt. */
export function ModelPicker({ ofAgent }: ModelPickerProps) {
  const connection = useConnection();
  const session = useLive((state) => state.session);
  const menu = useModels(session?.project_id ?? "").data;
  const site = useMe().data?.site.model ?? "";
  const [failed, setFailed] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  if (!session) return null;
  const usual = ofAgent || menu?.default || site;
  const current = session.model || usual;
  const offered = menu?.items.filter((model) => !model.refusal) ?? [];
  if (session.parent_id || offered.length < 2) return <span className="model-name">{current}</span>;
  const choose = async (model: string) => {
    list.current?.hidePopover?.();
    if (model === session.model) return;
    try {
      connection.showSession(await changeSession(session.id, { model }));
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  const onKey = (event: KeyboardEvent) => {
    const items = [...(list.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
    const step = STEPS[event.key];
    if (!step) return;
    event.preventDefault();
    items[step(items.indexOf(document.activeElement as HTMLElement), items.length)]?.focus();
  };
  return (
    <>
      <button
        type="button"
        className="agent-button model-name"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={`Model ${current}: switch`}
        data-testid="model-menu"
      >
        {current}
        <span className="turner open">
          <Icon name="chevron" size={12} />
        </span>
      </button>
      {failed && (
        <span className="agent-failed" role="status">
          Not switched. Try again.
        </span>
      )}
      <div
        ref={list}
        id={id}
        popover="auto"
        className="menu agent-list model-list"
        role="menu"
        tabIndex={-1}
        aria-label="Model"
        onKeyDown={onKey}
        onToggle={(event) => {
          if (event.newState === "open")
            list.current?.querySelector<HTMLElement>("[aria-checked=true]")?.focus();
        }}
      >
        <Choice
          name={`As usual (${usual})`}
          hint="What the agent or the project says"
          isChosen={!session.model}
          onChoose={() => choose("")}
        />
        {offered.map((model) => (
          <Choice
            key={model.id}
            name={model.id}
            hint={hintOf(model)}
            isChosen={session.model === model.id}
            onChoose={() => choose(model.id)}
          />
        ))}
      </div>
    </>
  );
}

const hintOf = (model: OfferedModel): string =>
  [
    model.provider_name,
    `price ${priceWords(model)}`,
    model.provider_state === "failing" ? "its last call failed" : "",
  ]
    .filter(Boolean)
    .join(", ");

interface ChoiceProps {
  name: string;
  hint: string;
  isChosen: boolean;
  onChoose: () => Promise<void>;
}

function Choice({ name, hint, isChosen, onChoose }: ChoiceProps) {
  return (
    <button type="button" role="menuitemradio" aria-checked={isChosen} onClick={() => void onChoose()}>
      <span className="agent-words">
        <span className="agent-name">{name}</span>
        <span className="muted">{hint}</span>
      </span>
      {isChosen && <Icon name="check" size={14} />}
    </button>
  );
}
