import { type keepPreviousData, useInfiniteQuery } from "@tanstack/react-query";

interface PagesOptions {
  placeholderData?: typeof keepPreviousData;
  refetchInterval?: number;
}

/** Reads a list of the API page by page. `load` gets the cursor of the page, none for the first. */
export function usePages<Page extends { next_cursor: string | null }>(
  queryKey: readonly unknown[],
  load: (cursor: string | undefined) => Promise<Page>,
  options: PagesOptions = {},
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => load(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next_cursor ?? undefined,
    ...options,
  });
}
