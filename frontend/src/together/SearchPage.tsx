import { useLocation, useSearch } from "wouter";
import { search } from "../api/together";
import { useTabTitle } from "../app/live";
import { useWaiting } from "../app/waiting";
import { usePages } from "../lib/usePages";
import { moveWithArrows } from "../ui/arrowKeys";
import { Problem, Skeleton } from "../ui/Notice";
import { SearchBox } from "./SearchBox";
import { SearchFilters } from "./SearchFilters";
import { SearchResult } from "./SearchResult";
import { isFiltered, queryOf, readSearchParams, type SearchParams, searchPath } from "./searchParams";
import "./search.css";

export function SearchPage() {
  const params = readSearchParams(useSearch());
  const [, go] = useLocation();
  useTabTitle(params.q ? `Search: ${params.q}` : "Search", useWaiting().count);
  return (
    <main className="plain-page full-width search-page" id="main">
      <h1>Search</h1>
      <SearchBox key={params.q} params={params} />
      <SearchFilters params={params} onChange={(changed) => go(searchPath(changed), { replace: true })} />
      {params.q ? (
        <Results params={params} />
      ) : (
        <p className="muted">
          Searches titles, prompts, answers, tool calls and review comments of sessions that you can see. Use
          “two words” for an exact phrase, tea OR coffee for either word, and -milk to exclude a word.
        </p>
      )}
    </main>
  );
}

function Results({ params }: { params: SearchParams }) {
  const [, go] = useLocation();
  const query = usePages(["search", params], (cursor) =>
    search({ ...queryOf(params), ...(cursor && { cursor }) }),
  );
  if (query.error) return <Problem error={query.error} />;
  if (!query.data) return <Skeleton rows={6} label="Searching" />;
  const hits = query.data.pages.flatMap((page) => page.items);
  if (hits.length === 0) {
    return (
      <div className="stack items-start" role="status">
        <p className="muted">
          No session that you can see contains these words{isFiltered(params) && " and matches"}.
        </p>
        {isFiltered(params) && (
          <button type="button" className="button" onClick={() => go(searchPath({ q: params.q }))}>
            Search without filters
          </button>
        )}
      </div>
    );
  }
  return (
    <>
      <ul className="hits" aria-label="Results" onKeyDown={(event) => moveWithArrows(event, ".hit")}>
        {hits.map((hit) => (
          <li key={hit.ref}>
            <SearchResult hit={hit} />
          </li>
        ))}
      </ul>
      {query.hasNextPage && (
        <button
          type="button"
          className="button"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          Show more
        </button>
      )}
    </>
  );
}
