import { Fragment, useEffect } from "react";
import { useShallow } from "zustand/react/shallow";
import { useAltKeys, useDigits } from "../app/keys";
import { answered } from "../permissions/answered";
import { useConnection, useLive } from "../store/SessionContext";
import { shownTurnIds } from "../store/shown";
import { Icon } from "../ui/Icon";
import { Scroller } from "../ui/Scroller";
import { EarlierMessages } from "./EarlierMessages";
import { EmptySession } from "./EmptySession";
import { isTurnHidden } from "./layout";
import { usePrompt } from "./PromptContext";
import { TurnView, UserBubble } from "./TurnView";
import { useFollowBottom } from "./useFollowBottom";
import { useJumpKeys } from "./useJumpKeys";
import { useHomeKey, useKeepPlace } from "./useKeepPlace";
import { useLinkedMessage } from "./useLinkedMessage";
import { useLinkedRequest } from "./useLinkedRequest";
import { NotesAfter } from "./WorkspaceNotes";
import "./Conversation.css";

export function Conversation() {
  const turnIds = useLive(
    useShallow((state) => shownTurnIds(state).filter((id) => !isTurnHidden(state, id))),
  );
  const isWhole = useLive((state) => state.older === null);
  const { box, content, hasNews, toBottom, toThing } = useFollowBottom();
  const { pending } = usePrompt();
  useAnswers();
  useCardKeys();
  useJumpKeys();
  useLinkedRequest(toThing);
  useLinkedMessage(toThing);
  useKeepPlace(box);
  useHomeKey(box);
  return (
    <div className="conversation-frame">
      <Scroller ref={box} className="conversation" label="Conversation" testId="conversation" isLandmark>
        <div ref={content} className="reading">
          <EarlierMessages box={box} />
          {turnIds.length === 0 && <EmptySession />}
          {isWhole && <NotesAfter turnId="" />}
          {turnIds.map((id) => (
            <Fragment key={id}>
              <TurnView turnId={id} latest={id === turnIds[turnIds.length - 1]} />
              <NotesAfter turnId={id} />
            </Fragment>
          ))}
          {pending !== null && <UserBubble text={pending.text} files={pending.files} pending />}
        </div>
      </Scroller>
      {hasNews && (
        <button type="button" className="new-below inline gap-4 medium" onClick={toBottom}>
          <Icon name="down" size={14} /> New messages{" "}
        </button>
      )}
      <Announcer />
    </div>
  );
}

/** Shows answers that were given over REST before their event arrives. */
function useAnswers(): void {
  const connection = useConnection();
  useEffect(
    () =>
      answered.subscribe(({ request, question }, before) => {
        const { session } = connection.store.getState();
        if (request && request !== before.request && request.session_id === session?.id) {
          connection.showRequest(request);
        }
        if (question && question !== before.question && question.session_id === session?.id) {
          connection.showQuestion(question);
        }
      }),
    [connection],
  );
}

const OPEN_CARD = '.conversation :is(.permission-card, .question-card)[data-state="open"]';

/**
 * Alt A and Alt R press the buttons of the first permission card that this person may answer, Alt W goes to the first
 * card. Digits choose in the question that has the focus.
 */
function useCardKeys(): void {
  const press = (key: "A" | "R") => () => {
    const card = '.conversation .permission-card[data-state="open"]';
    const answerable = document.querySelector(`${card}:has(button[data-key="A"]:enabled)`);
    answerable?.querySelector<HTMLButtonElement>(`button[data-key="${key}"]`)?.click();
  };
  const goToCard = () => document.querySelector<HTMLElement>(OPEN_CARD)?.focus();
  useAltKeys({ a: press("A"), r: press("R"), w: goToCard });
  useDigits(".question-card", chooseOption);
}

/** Chooses the option with this number in the first waiting question. Enter then sends the answer. */
function chooseOption(digit: number): void {
  const options = document.querySelectorAll<HTMLInputElement>(
    '.conversation .question-card[data-state="open"] [data-keys]:enabled .option input',
  );
  options[digit - 1]?.click();
  options[digit - 1]?.focus();
}

const STATUS_TEXTS = { running: "The agent is working.", waiting: "The agent waits for your answer." };

const END_TEXTS: Readonly<Record<string, string>> = {
  completed: "The agent has finished.",
  aborted: "The agent was stopped.",
  failed: "The agent could not go on.",
};

/** Announces the session's state to screen readers. The streamed text itself is not announced. */
function Announcer() {
  const status = useLive((state) => state.session?.status);
  const isStopped = useLive((state) =>
    Object.values(state.turns).some((turn) => turn.state === "waiting" && turn.waits_for !== ""),
  );
  const ended = useLive((state) => state.turns[state.turnIds.at(-1) ?? ""]?.state ?? "");
  const text = status && status !== "idle" ? STATUS_TEXTS[status] : (END_TEXTS[ended] ?? "");
  return (
    <p className="sr-only" aria-live="polite">
      {isStopped ? "A budget stopped the agent." : text}
    </p>
  );
}
