import { useId, useState } from "react";
import { rejectQuestion, replyQuestion } from "../api/endpoints";
import type { Question, QuestionItem } from "../api/types";
import { refreshWaiting } from "../app/queries";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Notice";
import { answered } from "./answered";

interface Draft {
  picked: string[];
  words: string;
}

const answersOf = (draft: Draft): string[] => [
  ...draft.picked,
  ...(draft.words.trim() ? [draft.words.trim()] : []),
];

export function QuestionCard({ question, canAct }: { question: Question; canAct: boolean }) {
  const titleId = useId();
  const [drafts, setDrafts] = useState<Draft[]>(() =>
    question.questions.map(() => ({ picked: [], words: "" })),
  );
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const ready = drafts.every((draft) => answersOf(draft).length > 0);
  const settle = async (action: () => Promise<Question>) => {
    setBusy(true);
    setError(null);
    try {
      answered.getState().publishQuestion(await action());
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
      refreshWaiting();
    }
  };
  return (
    <section
      className="card question-card"
      data-testid="question-card"
      data-state={question.state}
      aria-labelledby={titleId}
    >
      <h2 id={titleId}>
        <Icon name="question" />
        {question.questions.length === 1
          ? "The agent asks"
          : `The agent asks ${question.questions.length} things`}
      </h2>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void settle(() => replyQuestion(question.id, drafts.map(answersOf)));
        }}
      >
        {question.questions.map((item, index) => (
          <OneQuestion
            key={item.question}
            item={item}
            draft={drafts[index] ?? { picked: [], words: "" }}
            disabled={!canAct || busy}
            onDraft={(draft) => setDrafts(drafts.map((other, at) => (at === index ? draft : other)))}
          />
        ))}
        {canAct && (
          <div className="answers">
            <button type="submit" className="button primary" disabled={busy || !ready}>
              {question.questions.length === 1 ? "Send answer" : "Send answers"}
            </button>
            <button
              type="button"
              className="button"
              disabled={busy}
              title="The turn stops here"
              onClick={() => void settle(() => rejectQuestion(question.id))}
            >
              Dismiss
            </button>
          </div>
        )}
      </form>
      {error !== null && <Problem error={error} />}
    </section>
  );
}

interface OneProps {
  item: QuestionItem;
  draft: Draft;
  disabled: boolean;
  onDraft: (draft: Draft) => void;
}

function OneQuestion({ item, draft, disabled, onDraft }: OneProps) {
  const name = useId();
  const pick = (label: string, on: boolean) => {
    if (!item.multiple) return onDraft({ picked: on ? [label] : [], words: "" });
    const others = draft.picked.filter((other) => other !== label);
    onDraft({ ...draft, picked: on ? [...others, label] : others });
  };
  return (
    <fieldset className="question" disabled={disabled}>
      <legend>
        {item.header && <span className="question-header">{item.header}</span>}
        {item.question}
      </legend>
      {item.options.map((option) => (
        <label key={option.label} className="option">
          <input
            type={item.multiple ? "checkbox" : "radio"}
            name={name}
            checked={draft.picked.includes(option.label)}
            onChange={(event) => pick(option.label, event.target.checked)}
          />
          <span>
            <span className="option-label">{option.label}</span>
            {option.description && <span className="muted">{option.description}</span>}
          </span>
        </label>
      ))}
      <input
        className="own-words"
        aria-label={`Own words: ${item.question}`}
        placeholder={item.options.length > 0 ? "Or in your own words" : "Your answer"}
        value={draft.words}
        onChange={(event) =>
          onDraft({ picked: item.multiple ? draft.picked : [], words: event.target.value })
        }
      />
    </fieldset>
  );
}
