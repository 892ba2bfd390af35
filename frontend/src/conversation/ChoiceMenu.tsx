import { type ReactNode, type ToggleEvent, useId, useRef, useState } from "react";
import { changeSession } from "../api/endpoints";
import { useConnection } from "../store/SessionContext";
import { moveWithArrows } from "../ui/arrowKeys";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";
import "./Prompt.css";

type Change = Parameters<typeof changeSession>[1];

interface ChoiceMenuProps {
  /** What the menu chooses: "Agent", "Model". */
  what: string;
  current: string;
  sessionId: string;
  testId: string;
  buttonClass?: string;
  listClass?: string;
  mark?: ReactNode;
  onOpen?: () => void;
  /** Renders the choices and anything below them. `choose` applies from the next step on. */
  children: (choose: (change: Change, isNew: boolean) => void) => ReactNode;
}

/** A menu above the prompt that changes a setting of the session. */
export function ChoiceMenu({
  what,
  current,
  sessionId,
  testId,
  buttonClass = "",
  listClass = "",
  mark,
  onOpen,
  children,
}: ChoiceMenuProps) {
  const connection = useConnection();
  const [failed, setFailed] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();
  const choose = async (change: Change, isNew: boolean) => {
    list.current?.hidePopover?.();
    if (!isNew) return;
    try {
      connection.showSession(await changeSession(sessionId, change));
      setFailed(false);
    } catch {
      setFailed(true);
    }
  };
  const onToggle = (event: ToggleEvent) => {
    if (event.newState !== "open") return;
    onOpen?.();
    list.current?.querySelector<HTMLElement>("[aria-checked=true]")?.focus();
  };
  return (
    <>
      <button
        type="button"
        className={`agent-button inline no-shrink medium muted ${buttonClass}`}
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={`${what} ${current}: change`}
        data-testid={testId}
      >
        {mark}
        {current}
        <Chevron open />
      </button>
      {failed && (
        <span className="small text-failed" role="status">
          Could not change it. Try again.
        </span>
      )}
      <div
        ref={list}
        id={id}
        popover="auto"
        className={`menu agent-list ${listClass}`}
        role="menu"
        tabIndex={-1}
        aria-label={what}
        onKeyDown={(event) => moveWithArrows(event, "[role^=menuitem]")}
        onToggle={onToggle}
      >
        {children((change, isNew) => void choose(change, isNew))}
      </div>
    </>
  );
}

interface ChoiceProps {
  name: string;
  hint: string;
  isChosen: boolean;
  mark?: ReactNode;
  onChoose: () => void;
}

export function Choice({ name, hint, isChosen, mark, onChoose }: ChoiceProps) {
  return (
    <button type="button" role="menuitemradio" aria-checked={isChosen} onClick={onChoose}>
      {mark}
      <span className="agent-words stack gap-0 grow">
        <span className="medium">{name}</span>
        <span className="muted">{hint}</span>
      </span>
      {isChosen && <Icon name="check" size={14} />}
    </button>
  );
}
