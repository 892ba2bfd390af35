import type { Question, ToolCall } from "../api/types";
import { useLive } from "../store/SessionContext";
import { PlainView } from "./PlainView";
import "./views.css";

const UNANSWERED_LABELS: Partial<Record<Question["state"], string>> = {
  dismissed: "Dismissed without an answer.",
  cancelled: "Withdrawn before it was answered.",
};

/** The questions of a call and the person's answers. */
export function QuestionAnswers({ call }: { call: ToolCall }) {
  const question = useLive((state) =>
    Object.values(state.questions).find((item) => item.call_id === call.id),
  );
  if (!question) return <PlainView call={call} />;
  return (
    <dl className="asked stack gap-10">
      {question.questions.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the questions of one call never change
        <div key={index}>
          <dt>
            {item.header && <span className="block small muted">{item.header}</span>}
            {item.question}
          </dt>
          <dd className="asked-answers flow gap-4">
            <GivenAnswers answers={question.answers[index] ?? []} state={question.state} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function GivenAnswers({ answers, state }: { answers: readonly string[]; state: Question["state"] }) {
  if (answers.length === 0) {
    return <span className="muted">{UNANSWERED_LABELS[state] ?? "Waiting for an answer."}</span>;
  }
  return answers.map((answer) => (
    <span key={answer} className="given medium break-anywhere">
      {answer}
    </span>
  ));
}
