import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type ModelTable, readModelTable, searchModelTable, type TableModel } from "../api/modelTable";
import { useTabTitle } from "../app/live";
import { useWaiting } from "../app/waiting";
import { formatCount, formatNumber } from "../lib/format";
import { usePages } from "../lib/usePages";
import { SettingsFrame } from "../settings/SettingsFrame";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { TextField } from "../ui/TextField";
import { useDebounced } from "../ui/useDebounced";
import { abilitiesOf } from "./abilities";
import { TABLE_KEY, TableState } from "./TableState";
import "./providers.css";

const TITLE = "Known models";

/** Every model that the site knows, to browse: what it can do, how much it reads and what it costs. */
export function ModelTablePage() {
  useTabTitle(TITLE, useWaiting().count);
  const table = useQuery({ queryKey: TABLE_KEY, queryFn: readModelTable });
  return (
    <SettingsFrame level={{ kind: "site" }} current="models">
      <h1>{TITLE}</h1>
      <p className="muted tab-intro">
        What this site knows about the models of many providers. To use one, an admin of a team adds its
        provider under Providers. A model that is not listed can be used, too.
      </p>
      {table.isPending && <Skeleton rows={2} label="Loading the table" />}
      {table.error && !table.data && <Problem error={table.error} onRetry={table.refetch} />}
      {table.data && (
        <>
          <TableState table={table.data} />
          <Models table={table.data} />
        </>
      )}
    </SettingsFrame>
  );
}

function Models({ table }: { table: ModelTable }) {
  const [search, setSearch] = useState("");
  const [provider, setProvider] = useState("");
  const sought = useDebounced(search.trim(), 200);
  const pages = usePages(
    [...TABLE_KEY, table.read_at, sought, provider],
    (cursor) => searchModelTable(sought, provider, cursor),
    { placeholderData: keepPreviousData },
  );
  const models = pages.data?.pages.flatMap(({ items }) => items) ?? [];
  const total = pages.data?.pages[0]?.total ?? 0;
  return (
    <section aria-label="Models" className="stack gap-12">
      <div className="provider-names">
        <TextField
          label="Search"
          type="search"
          placeholder="Words of the name or provider"
          maxLength={200}
          value={search}
          onText={setSearch}
        />
        <label className="field">
          <span>Provider</span>
          <select value={provider} onChange={(event) => setProvider(event.target.value)}>
            <option value="">All providers</option>
            <OptionList of={table.providers.map(({ name, models: count }) => [name, `${name} (${count})`])} />
          </select>
        </label>
      </div>
      {pages.isPending && <Skeleton rows={8} label="Loading the models" />}
      {pages.error && models.length === 0 && <Problem error={pages.error} onRetry={pages.refetch} />}
      {pages.data && (
        <p className="small muted" role="status">
          {total === 0
            ? "No known model matches. Try fewer words, or another provider."
            : `${formatNumber(total)} of ${formatNumber(table.models)} models`}
        </p>
      )}
      {models.length > 0 && <Rows models={models} />}
      {pages.hasNextPage && (
        <button
          type="button"
          className="button model-more"
          disabled={pages.isFetchingNextPage}
          onClick={() => void pages.fetchNextPage()}
        >
          Show more models
        </button>
      )}
    </section>
  );
}

function Rows({ models }: { models: readonly TableModel[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
    <section className="table-scroller" aria-label="Table of known models" tabIndex={0}>
      <table className="plain-table full-width model-table">
        <thead>
          <tr>
            <th scope="col">Model</th>
            <th scope="col">Context</th>
            <th scope="col">Output</th>
            <th scope="col">$ per million, in / out</th>
            <th scope="col">Abilities</th>
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <tr key={model.name} data-testid="known-model">
              <th scope="row">
                {model.name}
                <span className="small muted model-provider">{model.provider}</span>
              </th>
              <td className="number">{model.context === null ? "unknown" : formatCount(model.context)}</td>
              <td className="number">
                {model.max_output === null ? "unknown" : formatCount(model.max_output)}
              </td>
              <td className="number">
                {model.input_price === null ? "unknown" : `${model.input_price} / ${model.output_price}`}
              </td>
              <td>{abilitiesOf(model).join(", ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
