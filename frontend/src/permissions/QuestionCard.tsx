import { useId, useState } from "react";
import { rejectQuestion, replyQuestion } from "../api/endpoints";
import type { Question, QuestionItem } from "../api/types";
import { usePerson } from "../app/person";
import { refreshWaiting } from "../app/queries";
import { Problem } from "../ui/Notice";
import { answered } from "./answered";
import { whoCanAnswer } from "./approvers";
import { RequestCard } from "./RequestCard";
import "./cards.css";

interface AnswerDraft {
  picked: string[];
  ownAnswer: string;
}

const answersOf = (draft: AnswerDraft): string[] => [
  ...draft.picked,
  ...(draft.ownAnswer.trim() ? [draft.ownAnswer.trim()] : []),
];

interface QuestionCardProps {
  question: Question;
  /** Determines the team, and so the role of the person. */
  projectId: string | undefined;
  canAct: boolean;
  /** The card is shown outside of its session (in the tray), where keys are off. */
  withoutKeys?: boolean;
}

/**
 * A form for all questions that are asked at once. Number keys choose in the first question without an
 * answer.
 */
export function QuestionCard({ question, projectId, canAct, withoutKeys = false }: QuestionCardProps) {
  const person = usePerson(projectId);
  const [drafts, setDrafts] = useState<AnswerDraft[]>(() =>
    question.questions.map(() => ({ picked: [], ownAnswer: "" })),
  );
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const next = drafts.findIndex((draft) => answersOf(draft).length === 0);
  const ready = next < 0;
  const withKeys = question.questions.length === 1 ? 0 : next;
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
    <RequestCard
      kind="question"
      id={question.id}
      state={question.state}
      icon="question"
      title={
        question.questions.length === 1
          ? "The agent asks"
          : `The agent asks ${question.questions.length} questions`
      }
    >
      <form
        className="stack gap-16"
        onSubmit={(event) => {
          event.preventDefault();
          void settle(() => replyQuestion(question.id, drafts.map(answersOf)));
        }}
      >
        {question.questions.map((item, index) => (
          <QuestionField
            // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one card never change
            key={index}
            item={item}
            hasKeys={!withoutKeys && canAct && index === withKeys}
            draft={drafts[index] ?? { picked: [], ownAnswer: "" }}
            disabled={!canAct || busy}
            onDraft={(draft) => setDrafts(drafts.map((other, at) => (at === index ? draft : other)))}
          />
        ))}
        {canAct && (
          <div className="answers cluster">
            <button type="submit" className="button primary" disabled={busy || !ready}>
              {question.questions.length === 1 ? "Send answer" : "Send answers"}
            </button>
            <button
              type="button"
              className="button"
              disabled={busy}
              title="Stops the turn"
              onClick={() => void settle(() => rejectQuestion(question.id))}
            >
              Dismiss
            </button>
            {question.questions.length > 1 && (
              <span className="muted number" role="status">
                {drafts.filter((draft) => answersOf(draft).length > 0).length} of {drafts.length} answered
              </span>
            )}
          </div>
        )}
      </form>
      {!canAct && <p className="muted">{whoCanAnswer("member", person.role)}</p>}
      {error !== null && <Problem error={error} />}
    </RequestCard>
  );
}

interface QuestionFieldProps {
  item: QuestionItem;
  draft: AnswerDraft;
  /** Number keys choose in this question. */
  hasKeys: boolean;
  disabled: boolean;
  onDraft: (draft: AnswerDraft) => void;
}

function QuestionField({ item, draft, hasKeys, disabled, onDraft }: QuestionFieldProps) {
  const name = useId();
  const pick = (label: string, on: boolean) => {
    if (!item.multiple) return onDraft({ picked: on ? [label] : [], ownAnswer: "" });
    const others = draft.picked.filter((other) => other !== label);
    onDraft({ ...draft, picked: on ? [...others, label] : others });
  };
  return (
    <fieldset className="question stack gap-4" disabled={disabled} data-keys={hasKeys || undefined}>
      <legend>
        {item.header && <span className="block small muted">{item.header}</span>}
        {item.question}
        {item.multiple && <span className="small muted weight-normal"> Choose any number.</span>}
      </legend>
      {item.options.map((option, index) => (
        <label key={option.label} className="option flex gap-10">
          <input
            type={item.multiple ? "checkbox" : "radio"}
            name={name}
            checked={draft.picked.includes(option.label)}
            onChange={(event) => pick(option.label, event.target.checked)}
          />
          <span className="stack gap-0">
            <span className="medium">{option.label}</span>
            {option.description && <span className="muted">{option.description}</span>}
          </span>
          {hasKeys && index < 9 && (
            <span className="option-key push-end" aria-hidden="true">
              <kbd>{index + 1}</kbd>
            </span>
          )}
        </label>
      ))}
      <input
        className="own-answer"
        aria-label={`Your own answer: ${item.question}`}
        placeholder={item.options.length > 0 ? "Or write your own answer" : "Your answer"}
        value={draft.ownAnswer}
        onChange={(event) =>
          onDraft({ picked: item.multiple ? draft.picked : [], ownAnswer: event.target.value })
        }
      />
    </fieldset>
  );
}
