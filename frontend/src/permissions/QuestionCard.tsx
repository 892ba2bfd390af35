import { useState } from "react";
import { rejectQuestion, replyQuestion } from "../api/endpoints";
import type { Question } from "../api/types";
import { usePerson } from "../app/person";
import { refreshWaiting } from "../app/queries";
import { Problem } from "../ui/Notice";
import { answered } from "./answered";
import { whoCanAnswer } from "./approvers";
import { answersOf, draftOf, isAnswered, QuestionField } from "./QuestionField";
import { RequestCard } from "./RequestCard";
import { ServerMessage } from "./ServerMessage";
import "./cards.css";

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
  const [drafts, setDrafts] = useState(() => question.questions.map(draftOf));
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const next = question.questions.findIndex((item, index) => !isAnswered(item, drafts[index]));
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
      title={titleOf(question)}
    >
      {question.server && <ServerMessage server={question.server} questions={question.questions} />}
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
            draft={drafts[index] ?? draftOf(item)}
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
              title={
                question.server
                  ? "The server is told that you refused, and the turn continues"
                  : "Stops the turn"
              }
              onClick={() => void settle(() => rejectQuestion(question.id))}
            >
              {question.server ? "Refuse" : "Dismiss"}
            </button>
            {question.questions.length > 1 && !question.server && (
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

function titleOf({ server, questions }: Question): string {
  if (server) return `The MCP server ${server.name} asks`;
  return questions.length === 1 ? "The agent asks" : `The agent asks ${questions.length} questions`;
}
