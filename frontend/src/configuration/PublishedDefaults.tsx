import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import {
  putPublishedDefaults,
  readPublishedDefaults,
  readStoredConfiguration,
  type StoredConfiguration,
} from "../api/configuration";
import { queryClient } from "../app/queries";
import { formatAgo } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { FieldsProblem } from "../ui/FieldsProblem";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { keyOf } from "./keys";
import { ValueNotes } from "./ValueNotes";

const POLL_MS = 1000;
const POLLS = 30;

/** The address at which an organisation publishes defaults, what was read there, and whether it answers. */
export function PublishedDefaults({ stored }: { stored: StoredConfiguration }) {
  const [address, setAddress] = useState(stored.defaults?.address ?? "");
  const [awaited, setAwaited] = useState<string | null | undefined>();
  const { run, busy, error } = useAction();
  const { defaults, place, can_edit: canEdit } = stored;
  const isReading = useAwaited(place, awaited, defaults?.tried_at);
  if (!canEdit && !defaults) return null;
  const send = (change: () => Promise<StoredConfiguration>) =>
    void run(async () => {
      const saved = await change();
      queryClient.setQueryData(keyOf(place), saved);
      setAddress(saved.defaults?.address ?? "");
      setAwaited(saved.defaults ? saved.defaults.tried_at : undefined);
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    send(() => putPublishedDefaults(place, address));
  };
  return (
    <form className="settings-form stack gap-12" onSubmit={submit} aria-label="Defaults of your organisation">
      <h2 className="small medium">Defaults of your organisation</h2>
      <TextField
        label="Address"
        type="url"
        readOnly={!canEdit}
        placeholder="https://company.example"
        hint="A document at /.well-known/opencode of this address applies as the weakest level, as in OpenCode. It is read every hour. Leave the field empty to use none."
        value={address}
        onText={setAddress}
      />
      {error !== null && <FieldsProblem error={error} fieldLabel={() => "Address"} />}
      {canEdit && (
        <div className="line gap-8">
          <button
            type="submit"
            className="button"
            disabled={busy || address.trim() === (defaults?.address ?? "")}
          >
            Save address
          </button>
          {defaults && (
            <button
              type="button"
              className="button"
              disabled={busy || isReading}
              onClick={() => send(() => readPublishedDefaults(place))}
            >
              Read again
            </button>
          )}
        </div>
      )}
      {defaults && <WhatWasRead defaults={defaults} isReading={isReading} />}
    </form>
  );
}

type Defaults = NonNullable<StoredConfiguration["defaults"]>;

function WhatWasRead({ defaults, isReading }: { defaults: Defaults; isReading: boolean }) {
  return (
    <div className="stack gap-8 small" role="status">
      {isReading && <p className="muted">Reading the document…</p>}
      {defaults.read_at && (
        <p>
          Read <time dateTime={defaults.read_at}>{formatAgo(defaults.read_at)}</time>.
        </p>
      )}
      {defaults.problem && defaults.tried_at && (
        <p role="alert">
          The last attempt, <time dateTime={defaults.tried_at}>{formatAgo(defaults.tried_at)}</time>, failed:{" "}
          {visibleLine(defaults.problem)}{" "}
          {defaults.read_at
            ? "The document that was read before still applies."
            : "No defaults were ever read, so none apply."}
        </p>
      )}
      {defaults.text && (
        <details>
          <summary>Show the document</summary>
          <pre className="mono break-anywhere">{pretty(defaults.text)}</pre>
        </details>
      )}
      <ValueNotes notes={defaults.notes} label="About these defaults" />
    </div>
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/** Reads the stored document until the time of the last attempt differs from `awaited`, for half a minute at most. */
function useAwaited(place: string, awaited: string | null | undefined, triedAt: string | null | undefined) {
  const [polls, setPolls] = useState(0);
  const [counted, setCounted] = useState(awaited);
  if (counted !== awaited) {
    setCounted(awaited);
    setPolls(0);
  }
  const isReading = awaited !== undefined && triedAt === awaited && polls < POLLS;
  useQuery({
    queryKey: keyOf(place),
    queryFn: () => {
      setPolls((before) => before + 1);
      return readStoredConfiguration(place);
    },
    enabled: isReading,
    refetchInterval: isReading ? POLL_MS : false,
  });
  return isReading;
}
