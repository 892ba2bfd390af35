// API calls for the audience of a session, share links, search and notifications.
import { api, body } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Audience = Schemas["AudienceView"];
export type AudienceChange = Schemas["AudienceChange"];
export type ShareLink = Schemas["ShareLinkView"];
export type IssuedShareLink = Schemas["IssuedShareLinkView"];
export type NewShareLink = Schemas["NewShareLink"];
export type SearchHit = Schemas["SearchHit"];
export type Notifications = Schemas["NotificationsView"];
export type SharedMessage = Schemas["SharedMessage"];
export type SharedPart = Schemas["SharedPart"];

export type OperatorAccess = Schemas["OperatorAccessView"];
export type PrivateSession = Schemas["PrivateSessionView"];

const ofSession = (id: string) => ({ params: { path: { session_id: id } } });

export const readAudience = (id: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/audience", ofSession(id)));
export const changeAudience = (id: string, change: AudienceChange) =>
  body(api.PUT("/api/v1/sessions/{session_id}/audience", { ...ofSession(id), body: change }));

export const listShareLinks = (id: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/share-links", ofSession(id)));
export const createShareLink = (id: string, link: NewShareLink) =>
  body(api.POST("/api/v1/sessions/{session_id}/share-links", { ...ofSession(id), body: link }));
export const revokeShareLink = (id: string) =>
  body(api.DELETE("/api/v1/share-links/{share_link_id}", { params: { path: { share_link_id: id } } }));

const pageOfTeam = (id: string, cursor?: string) => ({
  params: { path: { team_id: id }, query: { limit: 50, cursor } },
});
const privateSessionParams = (teamId: string, id: string) => ({
  params: { path: { team_id: teamId, private_session_id: id } },
});

export const listTeamShareLinks = (teamId: string, cursor?: string) =>
  body(api.GET("/api/v1/teams/{team_id}/share-links", pageOfTeam(teamId, cursor)));
export const listPrivateSessions = (teamId: string, cursor?: string) =>
  body(api.GET("/api/v1/teams/{team_id}/private-sessions", pageOfTeam(teamId, cursor)));
export const abortPrivateSession = (teamId: string, id: string) =>
  body(
    api.POST(
      "/api/v1/teams/{team_id}/private-sessions/{private_session_id}/abort",
      privateSessionParams(teamId, id),
    ),
  );
export const deletePrivateSession = (teamId: string, id: string) =>
  body(
    api.DELETE(
      "/api/v1/teams/{team_id}/private-sessions/{private_session_id}",
      privateSessionParams(teamId, id),
    ),
  );
export const listOperatorAccesses = (teamId: string, cursor?: string) =>
  body(api.GET("/api/v1/teams/{team_id}/operator-accesses", pageOfTeam(teamId, cursor)));
export const endOperatorAccess = (id: string) =>
  body(api.DELETE("/api/v1/operator-accesses/{access_id}", { params: { path: { access_id: id } } }));

export interface SearchQuery {
  q: string;
  project_id?: string;
  person_id?: string;
  status?: SearchHit["session_status"];
  after?: string;
  before?: string;
  cursor?: string;
  limit?: number;
}
export const search = (query: SearchQuery) => body(api.GET("/api/v1/search", { params: { query } }));

export const readNotifications = () => body(api.GET("/api/v1/me/notifications"));
export const changeNotifications = (change: Notifications) =>
  body(api.PUT("/api/v1/me/notifications", { body: change }));

export const readShared = (secret: string) =>
  body(api.GET("/api/v1/shared/{secret}", { params: { path: { secret } } }));
