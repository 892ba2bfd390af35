// API calls for lists of sessions and what a person does with one of them.
import { api, body } from "./http";
import type { Session } from "./types";

export type SessionOwner = "team" | "mine";
export type SessionState = "any" | Session["status"] | "archived";

export interface SessionFilter {
  project: string | null;
  owner: SessionOwner;
  state: SessionState;
}

const PER_PAGE = 50;

/** Lists one page of the sessions that match, newest first. `me` is the id of the signed-in person. */
export const listSessionPage = (filter: SessionFilter, me: string, cursor: string | undefined) =>
  body(
    api.GET("/api/v1/sessions", {
      params: {
        query: {
          limit: PER_PAGE,
          cursor,
          ...(filter.project ? { project: filter.project } : {}),
          ...(filter.owner === "mine" ? { created_by: me } : {}),
          ...(filter.state === "archived" ? { archived: true } : {}),
          ...(filter.state === "any" || filter.state === "archived" ? {} : { status: filter.state }),
        },
      },
    }),
  );
