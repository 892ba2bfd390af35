import { type ReactNode, useState } from "react";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { ChooseAnswerDialog, useChooseAnswer } from "./ChooseAnswer";
import "./Alternatives.css";

const NONE: readonly string[] = [];

interface AlternativesProps {
  turnId: string;
  /** Renders another answer to the same prompt. */
  render: (turnId: string) => ReactNode;
}

/** "Answer 2 of 3" with a switch, and the other answers below each other on request. */
export function Alternatives({ turnId, render }: AlternativesProps) {
  const ids = useLive((state) => state.alternatives[turnId]?.turn_ids ?? NONE);
  const canChoose = useLive((state) => state.canAct && state.session?.status === "idle");
  const [isOpen, setOpen] = useState(false);
  const choice = useChooseAnswer();
  const { busy, error } = choice;
  if (ids.length < 2) return null;
  const place = ids.indexOf(turnId);
  const choose = (id: string | undefined) => id && void choice.choose(id);
  const others = ids.filter((id) => id !== turnId);
  return (
    <section className="alternatives" aria-label="Answers to this prompt" data-testid="alternatives">
      <div className="cluster gap-4 small muted">
        <button
          type="button"
          className="icon-button"
          aria-label="Choose the answer before"
          disabled={!canChoose || busy || place === 0}
          onClick={() => choose(ids[place - 1])}
        >
          <Icon name="chevron" size={12} />
        </button>
        <span className="number">
          Answer {place + 1} of {ids.length}
        </span>
        <button
          type="button"
          className="icon-button"
          aria-label="Choose the next answer"
          disabled={!canChoose || busy || place === ids.length - 1}
          onClick={() => choose(ids[place + 1])}
        >
          <Icon name="chevron" size={12} />
        </button>
        <button type="button" className="link" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Hide the others" : "Show the others"}
        </button>
      </div>
      {error !== null && <Problem error={error} />}
      <ChooseAnswerDialog turnId={choice.asked} onClose={choice.close} />
      {isOpen &&
        others.map((id) => (
          <section key={id} className="other-answer boxed" aria-label={`Answer ${ids.indexOf(id) + 1}`}>
            <p className="line between small muted">
              Answer {ids.indexOf(id) + 1}, not chosen
              {canChoose && (
                <button type="button" className="button" disabled={busy} onClick={() => choose(id)}>
                  Continue from this answer
                </button>
              )}
            </p>
            {render(id)}
          </section>
        ))}
    </section>
  );
}
