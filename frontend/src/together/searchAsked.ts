// Query and filters of the search page, kept in the URL so that searches can be bookmarked and shared.
import type { SearchAsked, SearchHit } from "../api/together";

/**
 * Keys are the names in the URL. Dates are days in the person's time zone; `until` is the last day to
 * include.
 */
export interface Asked {
  q: string;
  project: string;
  person: string;
  status: string;
  from: string;
  until: string;
}

const NAMES = ["q", "project", "person", "status", "from", "until"] as const;
const STATES: readonly string[] = ["running", "waiting", "idle"];

export function readAsked(search: string): Asked {
  const given = new URLSearchParams(search);
  const asked = Object.fromEntries(NAMES.map((name) => [name, given.get(name) ?? ""])) as unknown as Asked;
  return { ...asked, status: STATES.includes(asked.status) ? asked.status : "" };
}

export function searchPath(asked: Partial<Asked>): string {
  const query = new URLSearchParams();
  for (const name of NAMES) if (asked[name]) query.set(name, asked[name]);
  return `/search?${query}`;
}

export const isFiltered = ({ q: _, ...filters }: Asked): boolean => Object.values(filters).some(Boolean);

/** Converts the search to query parameters of the API. */
export function queryOf(asked: Asked): SearchAsked {
  const after = startOfDay(asked.from, 0);
  const before = startOfDay(asked.until, 1);
  return {
    q: asked.q,
    ...(asked.project && { project_id: asked.project }),
    ...(asked.person && { person_id: asked.person }),
    ...(asked.status && { status: asked.status as SearchHit["session_status"] }),
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
