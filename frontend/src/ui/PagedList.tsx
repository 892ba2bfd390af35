import type { InfiniteData, UseInfiniteQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Problem, Skeleton } from "./Notice";

interface PagedListProps<Item> {
  query: UseInfiniteQueryResult<InfiniteData<{ items: readonly Item[] }>>;
  /** Accessible name of the list. */
  label?: string;
  className?: string;
  /** Accessible name while the first page loads: "Loading the links". */
  loading: string;
  /** Number of placeholder rows while the first page loads. */
  placeholders: number;
  /** Text if there are no items. */
  empty: string;
  /** Label of the button that loads the next page. */
  more: string;
  /** False if trying again cannot help. */
  canRetry?: boolean;
  children: (item: Item) => ReactNode;
}

/** A list that is loaded page by page, with its loading, error and empty states. */
export function PagedList<Item>({
  query,
  label,
  className = "ruled-top",
  loading,
  placeholders,
  empty,
  more,
  canRetry = true,
  children,
}: PagedListProps<Item>) {
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <>
      {query.isPending && <Skeleton rows={placeholders} label={loading} />}
      {query.error && items.length === 0 && (
        <Problem error={query.error} onRetry={canRetry ? query.refetch : undefined} />
      )}
      {query.data && items.length === 0 && <p className="empty-tab muted">{empty}</p>}
      {items.length > 0 && (
        <ul className={className} aria-label={label}>
          {items.map(children)}
        </ul>
      )}
      {query.hasNextPage && (
        <button
          type="button"
          className="button"
          disabled={query.isFetchingNextPage}
          onClick={() => void query.fetchNextPage()}
        >
          {more}
        </button>
      )}
    </>
  );
}
