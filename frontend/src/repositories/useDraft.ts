import { useEffect, useRef, useState } from "react";
import { type Draft, type DraftOf, draftText } from "../api/workingCopy";

interface Drafting {
  /** What is going on, or where the text came from. Empty if nothing is drafted. */
  note: string;
  isBusy: boolean;
  /** Leaves the fields to the person: a draft that comes later is thrown away. */
  leave: () => void;
}

/** Has a text drafted when a form opens, and fills it in unless the person has typed something meanwhile. */
export function useDraft(sessionId: string, what: DraftOf | null, fill: (draft: Draft) => void): Drafting {
  const [note, setNote] = useState(what ? DRAFTING : "");
  const isLeft = useRef(false);
  const filling = useRef(fill);
  filling.current = fill;
  useEffect(() => {
    if (!what) return undefined;
    let isOpen = true;
    draftText(sessionId, what).then(
      (draft) => {
        if (!isOpen) return;
        if (!isLeft.current) filling.current(draft);
        setNote(isLeft.current ? "" : noteOf(draft));
      },
      (error: unknown) => {
        if (isOpen) setNote(isLeft.current ? "" : `Nothing was drafted. ${wordsOf(error)}`);
      },
    );
    return () => {
      isOpen = false;
    };
  }, [sessionId, what]);
  const leave = () => {
    isLeft.current = true;
    setNote((old) => (old === DRAFTING ? "" : old));
  };
  return { note, isBusy: note === DRAFTING, leave };
}

const DRAFTING = "Drafting from the diff… You can type meanwhile.";

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : "");

function noteOf({ by_model: byModel, problem, withheld }: Draft): string {
  const unseen = withheld.length > 0 ? ` It has not seen ${withheld.slice(0, 3).join(", ")}.` : "";
  return byModel
    ? `A model drafted this from the diff: check it.${unseen}`
    : `No model drafted this. ${problem}`;
}
