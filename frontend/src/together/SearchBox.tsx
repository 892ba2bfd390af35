import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import { Icon } from "../ui/Icon";

export const searchPath = (text: string): string => `/search?q=${encodeURIComponent(text)}`;

export function SearchBox({ text = "" }: { text?: string }) {
  const [, go] = useLocation();
  const [draft, setDraft] = useState(text);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (draft.trim()) go(searchPath(draft.trim()));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: the search element is not known to all browsers yet
    <form role="search" className="search-box" onSubmit={submit}>
      <Icon name="explore" />
      <input
        type="search"
        aria-label="Search sessions"
        placeholder="Search what was said"
        maxLength={1000}
        value={draft}
        onChange={(event) => setDraft(event.target.value)}
      />
      <button type="submit" className="button">
        Search
      </button>
    </form>
  );
}
