import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ModelTable, readModelTable, refreshModelTable, resetModelTable } from "../api/modelTable";
import { queryClient } from "../app/queries";
import { formatAgo, formatNumber } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { refreshModels } from "./queries";

export const TABLE_KEY = ["model-table"] as const;
const POLL_MS = 1000;
const POLLS = 90; // the request may take a minute

/** From when the table is, whether reading it again failed, and the buttons of operators. */
export function TableState({ table }: { table: ModelTable }) {
  const { run, busy, error } = useAction();
  const [awaited, setAwaited] = useState<{ tried_at: string | null; polls: number } | null>(null);
  const isReading = awaited !== null && awaited.tried_at === table.tried_at && awaited.polls < POLLS;
  useQuery({
    queryKey: [...TABLE_KEY, "awaited"],
    queryFn: async () => {
      setAwaited((before) => before && { ...before, polls: before.polls + 1 });
      await show(await readModelTable());
      return null;
    },
    enabled: isReading,
    refetchInterval: isReading ? POLL_MS : false,
  });
  const refresh = () =>
    run(async () => {
      const { tried_at } = await refreshModelTable();
      setAwaited({ tried_at, polls: 0 });
    });
  const reset = () => run(async () => show(await resetModelTable()));
  return (
    <div className="stack gap-8 items-start model-table-state" role="status">
      <p>
        {formatNumber(table.models)} models,{" "}
        {table.read_at ? (
          <>
            read <time dateTime={table.read_at}>{formatAgo(table.read_at)}</time> from{" "}
            <span className="break-anywhere">{visibleLine(table.address)}</span>.
          </>
        ) : (
          <>from the table that litellm {table.bundled_version} contains.</>
        )}
      </p>
      {table.problem && table.tried_at && (
        <p className="text-failed">
          Reading it again failed <time dateTime={table.tried_at}>{formatAgo(table.tried_at)}</time>:{" "}
          {visibleLine(table.problem)} The table above is still in use.
        </p>
      )}
      {awaited && !isReading && awaited.polls >= POLLS && (
        <p className="text-failed">Nobody has read it yet. The process that reads addresses may be down.</p>
      )}
      {error !== null && <Problem error={error} />}
      {table.can_refresh && (
        <div className="flow">
          <button
            type="button"
            className="button"
            disabled={busy || isReading}
            onClick={() => void refresh()}
          >
            {isReading ? "Reading the newest table…" : "Read the newest table"}
          </button>
          {table.read_at && (
            <button
              type="button"
              className="button"
              disabled={busy || isReading}
              onClick={() => void reset()}
            >
              Use the bundled table
            </button>
          )}
        </div>
      )}
    </div>
  );
}

async function show(table: ModelTable): Promise<void> {
  queryClient.setQueryData(TABLE_KEY, table);
  await refreshModels();
}
