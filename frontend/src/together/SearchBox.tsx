import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { Icon } from "../ui/Icon";
import { type SearchParams, searchPath } from "./searchParams";
import "./search.css";

/** The search field. Filters are kept when the text changes. Arrow down moves to the results. */
export function SearchBox({ params }: { params?: SearchParams }) {
  const [, go] = useLocation();
  const [draft, setDraft] = useState(params?.q ?? "");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (draft.trim()) go(searchPath({ ...params, q: draft.trim() }));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the search element is not known to all browsers yet
    <form role="search" className="search-box line" onSubmit={submit}>
      <Icon name="explore" />
      <input
        className="grow"
        type="search"
        aria-label="Search sessions"
        placeholder="Search sessions"
        maxLength={1000}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") document.querySelector<HTMLElement>(".hits .hit")?.focus();
        }}
      />
      <button type="submit" className="button">
        Search
      </button>
    </form>
  );
}
