// API calls for lists of sessions, and for a person's actions on one of them.
import { api, body } from "./http";
import { readAllPages } from "./pages";
import type { components } from "./schema";
import type { Session } from "./types";

export type SessionOwner = "team" | "mine";
export type SessionState = "any" | Session["status"] | "archived";

export interface SessionFilter {
  project: string | null;
  owner: SessionOwner;
  state: SessionState;
  /** "" for any. */
  label: string;
  /** Only the sessions that the person has pinned, or only others. */
  pinned: boolean;
}

export type SessionMark = components["schemas"]["SessionMarkView"];

const PER_PAGE = 50;

/** Lists one page of the sessions that match, newest first. `me` is the id of the signed-in person. */
export const listSessionPage = (filter: SessionFilter, me: string, cursor: string | undefined) =>
  body(
    api.GET("/api/v1/sessions", {
      params: {
        query: {
          limit: PER_PAGE,
          cursor,
          pinned: filter.pinned,
          ...(filter.label ? { label: filter.label } : {}),
          ...(filter.project ? { project: filter.project } : {}),
          ...(filter.owner === "mine" ? { created_by: me } : {}),
          ...(filter.state === "archived" ? { archived: true } : {}),
          ...(filter.state === "any" || filter.state === "archived" ? {} : { status: filter.state }),
        },
      },
    }),
  );

const ofSession = (id: string) => ({ params: { path: { session_id: id } } });

export const deleteSession = (id: string) => body(api.DELETE("/api/v1/sessions/{session_id}", ofSession(id)));

/** Lists the marks of the sessions that the person has pinned or not read. */
export const listSessionMarks = () =>
  readAllPages((cursor) =>
    body(api.GET("/api/v1/session-marks", { params: { query: { cursor, limit: 100 } } })),
  );

export const markSession = (id: string, change: { pinned?: boolean; seen?: boolean }) =>
  body(
    api.PUT("/api/v1/sessions/{session_id}/mark", {
      ...ofSession(id),
      body: change as Required<typeof change>,
    }),
  );
