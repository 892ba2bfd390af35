// The draft of a policy. It is kept in this browser until it is saved or discarded.
import { useState } from "react";
import type { Policy, PolicyDocument } from "../api/policyTypes";
import { readStored, writeStored } from "../lib/storage";
import { documentOf, sameDocument } from "./document";

export interface Draft {
  /**
   * The version that the draft is based on. If a newer one exists, the person must review it before saving.
   */
  base: number;
  document: PolicyDocument;
}

const keyOf = (place: string) => `policy.${place}`;

export function readDraft(place: string): Draft | null {
  try {
    const stored: unknown = JSON.parse(readStored(keyOf(place)) ?? "null");
    return isDraft(stored) ? stored : null;
  } catch {
    return null;
  }
}

const writeDraft = (place: string, draft: Draft | null): void =>
  writeStored(keyOf(place), draft && JSON.stringify(draft));

function isDraft(value: unknown): value is Draft {
  const draft = value as Draft | null;
  const document = draft?.document;
  return (
    typeof draft?.base === "number" &&
    [document?.rules, document?.enforced, document?.expectations, document?.options?.loosenable].every(
      Array.isArray,
    )
  );
}

export interface PolicyEditing {
  document: PolicyDocument;
  isChanged: boolean;
  /** Somebody saved a newer version than the draft is based on. */
  isBehind: boolean;
  base: number;
  change: (change: Partial<PolicyDocument>) => void;
  /** Discards the draft and shows the saved policy. */
  discard: () => void;
  /** Bases the draft on the version that is saved now. */
  rebase: () => void;
}

/** Returns the draft if there is one, else the saved policy. */
export function useDraft(policy: Policy): PolicyEditing {
  const [draft, setDraft] = useState<Draft | null>(() => (policy.can_edit ? readDraft(policy.place) : null));
  const keep = (next: Draft | null) => {
    writeDraft(policy.place, next);
    setDraft(next);
  };
  const saved = documentOf(policy);
  const document = draft?.document ?? saved;
  const base = draft?.base ?? policy.version;
  return {
    document,
    base,
    isChanged: draft !== null,
    isBehind: draft !== null && draft.base !== policy.version,
    change: (change) => {
      const next = { ...document, ...change };
      const undone = base === policy.version && sameDocument(next, saved);
      keep(undone ? null : { base, document: next });
    },
    discard: () => keep(null),
    rebase: () => keep({ base: policy.version, document }),
  };
}
