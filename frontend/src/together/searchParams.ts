// Query and filters of the search page, kept in the URL so that searches can be bookmarked and shared.
import type { SearchHit, SearchQuery } from "../api/together";

/**
 * Keys are the names in the URL. Dates are days in the person's time zone; `until` is the last day to
 * include.
 */
export interface SearchParams {
  q: string;
  project: string;
  person: string;
  status: string;
  from: string;
  until: string;
}

const PARAM_NAMES = ["q", "project", "person", "status", "from", "until"] as const;
const STATE_NAMES: readonly string[] = ["running", "waiting", "idle"];

export function readSearchParams(search: string): SearchParams {
  const given = new URLSearchParams(search);
  const params = Object.fromEntries(
    PARAM_NAMES.map((name) => [name, given.get(name) ?? ""]),
  ) as unknown as SearchParams;
  return { ...params, status: STATE_NAMES.includes(params.status) ? params.status : "" };
}

export function searchPath(params: Partial<SearchParams>): string {
  const query = new URLSearchParams();
  for (const name of PARAM_NAMES) if (params[name]) query.set(name, params[name]);
  return `/search?${query}`;
}

export const isFiltered = ({ q: _, ...filters }: SearchParams): boolean =>
  Object.values(filters).some(Boolean);

/** Converts the search to query parameters of the API. */
export function queryOf(params: SearchParams): SearchQuery {
  const after = startOfDay(params.from, 0);
  const before = startOfDay(params.until, 1);
  return {
    q: params.q,
    ...(params.project && { project_id: params.project }),
    ...(params.person && { person_id: params.person }),
    ...(params.status && { status: params.status as SearchHit["session_status"] }),
    ...(after && { after }),
    ...(before && { before }),
  };
}

/** Returns midnight in the person's time zone; empty if the text is not a day. */
function startOfDay(day: string, later: number): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(day)) return "";
  const moment = new Date(`${day}T00:00:00`);
  if (Number.isNaN(moment.getTime())) return "";
  moment.setDate(moment.getDate() + later);
  return moment.toISOString();
}
