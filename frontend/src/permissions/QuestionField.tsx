import { type HTMLInputTypeAttribute, useId } from "react";
import type { QuestionItem } from "../api/types";

export interface AnswerDraft {
  picked: string[];
  ownAnswer: string;
}

/** Kinds whose answer is one of the options. */
const CHOICES: ReadonlySet<QuestionItem["kind"]> = new Set(["choice", "boolean", "confirm"]);

const INPUT_TYPES: Partial<Record<QuestionItem["kind"], HTMLInputTypeAttribute>> = {
  email: "email",
  uri: "url",
  date: "date",
  number: "number",
  integer: "number",
};

/** Returns what is filled in before the person answers. */
export function draftOf(item: QuestionItem): AnswerDraft {
  const labels = new Set(item.options.map((option) => option.label));
  return {
    picked: item.prefilled.filter((each) => labels.has(each)),
    ownAnswer: item.prefilled.find((each) => !labels.has(each)) ?? "",
  };
}

export const answersOf = (draft: AnswerDraft): string[] => [
  ...draft.picked,
  ...(draft.ownAnswer.trim() ? [draft.ownAnswer.trim()] : []),
];

export const isAnswered = (item: QuestionItem, draft: AnswerDraft | undefined): boolean =>
  !item.required || (draft !== undefined && answersOf(draft).length > 0);

interface QuestionFieldProps {
  item: QuestionItem;
  draft: AnswerDraft;
  /** Number keys choose in this question. */
  hasKeys: boolean;
  disabled: boolean;
  onDraft: (draft: AnswerDraft) => void;
}

export function QuestionField({ item, draft, hasKeys, disabled, onDraft }: QuestionFieldProps) {
  const name = useId();
  const pick = (label: string, on: boolean) => {
    if (!item.multiple) return onDraft({ picked: on ? [label] : [], ownAnswer: "" });
    const others = draft.picked.filter((other) => other !== label);
    onDraft({ ...draft, picked: on ? [...others, label] : others });
  };
  return (
    <fieldset className="question stack gap-4" disabled={disabled} data-keys={hasKeys || undefined}>
      <legend>
        {item.header && item.header !== item.question && (
          <span className="block small muted">{item.header}</span>
        )}
        {item.question}
        {item.multiple && <span className="small muted weight-normal"> Choose any number.</span>}
        {!item.required && <span className="small muted weight-normal"> Optional.</span>}
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
      {!CHOICES.has(item.kind) && (
        <input
          className="own-answer"
          type={INPUT_TYPES[item.kind] ?? "text"}
          step={item.kind === "number" ? "any" : undefined}
          aria-label={`Your own answer: ${item.question}`}
          placeholder={placeholderOf(item)}
          value={draft.ownAnswer}
          onChange={(event) =>
            onDraft({ picked: item.multiple ? draft.picked : [], ownAnswer: event.target.value })
          }
        />
      )}
    </fieldset>
  );
}

function placeholderOf({ kind, options }: QuestionItem): string {
  if (kind === "date-time") return "2026-11-30T12:00:00Z";
  return options.length > 0 ? "Or write your own answer" : "Your answer";
}
