import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useSearch } from "wouter";
import { type SearchHit, search } from "../api/together";
import { useTabTitle } from "../app/live";
import { useProjects } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { Problem, Skeleton } from "../ui/Notice";
import { Hit } from "./Hit";
import { SearchBox } from "./SearchBox";

export function SearchPage() {
  const asked = new URLSearchParams(useSearch()).get("q") ?? "";
  const [project, setProject] = useState("");
  const [status, setStatus] = useState("");
  const projects = useProjects().data?.items ?? [];
  useTabTitle(asked ? `Search: ${asked}` : "Search", useWaiting().count);
  return (
    <main className="home search-page" id="main">
      <h1>Search</h1>
      <SearchBox key={asked} text={asked} />
      <div className="search-filters">
        <label>
          Project{" "}
          <select value={project} onChange={(event) => setProject(event.target.value)}>
            <option value="">All</option>
            {projects.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <label>
          State{" "}
          <select value={status} onChange={(event) => setStatus(event.target.value)}>
            <option value="">Any</option>
            <option value="running">Running</option>
            <option value="waiting">Waiting</option>
            <option value="idle">Idle</option>
          </select>
        </label>
      </div>
      {asked ? (
        <Results asked={asked} project={project} status={status as SearchHit["session_status"] | ""} />
      ) : (
        <p className="muted">
          Titles, prompts, answers and tool calls of the sessions you see. “Two words” in quotes are found
          side by side, tea OR coffee either, -milk leaves out.
        </p>
      )}
    </main>
  );
}

interface ResultsProps {
  asked: string;
  project: string;
  status: SearchHit["session_status"] | "";
}

function Results({ asked, project, status }: ResultsProps) {
  const query = useInfiniteQuery({
    queryKey: ["search", asked, project, status],
    queryFn: ({ pageParam }) =>
      search({
        q: asked,
        ...(project && { project_id: project }),
        ...(status && { status }),
        ...(pageParam && { cursor: pageParam }),
      }),
    initialPageParam: "",
    getNextPageParam: (page) => page.next_cursor ?? undefined,
  });
  if (query.error) return <Problem error={query.error} />;
  if (!query.data) return <Skeleton rows={6} label="Searching" />;
  const hits = query.data.pages.flatMap((page) => page.items);
  if (hits.length === 0) return <p className="muted">Nothing you may see has these words.</p>;
  return (
    <>
      <ul className="hits" aria-label="Found">
        {hits.map((hit) => (
          <li key={hit.ref}>
            <Hit hit={hit} />
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
