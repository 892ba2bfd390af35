// API calls for providers, for the models that a team or project may use, and for usage.
import { prefix } from "../lib/prefix";
import { api, body } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Provider = Schemas["ProviderView"];
export type ProviderKind = Schemas["ProviderKindView"];
export type ProviderModel = Schemas["ProviderModel"];
export type KnownModel = Schemas["KnownModel"];
export type FoundModel = Schemas["FoundModel"];
export type FoundModels = Schemas["FoundModels"];
export type NewProvider = Schemas["NewProvider"];
export type ProviderChange = Schemas["ProviderChange"];
export type ProviderSignIn = Schemas["ProviderSignIn"];
export type ProviderReport = Schemas["ProviderReport"];
export type OfferedModel = Schemas["OfferedModel"];
export type ModelMenu = Schemas["ModelMenu"];
export type ModelChoice = Schemas["ModelChoiceChange"];
export type ModelUsage = Schemas["ModelUsageView"];
export type UsageGroup = Schemas["ModelUsageGroup"];
export type UsageSums = Schemas["ModelUsageSums"];

const ofTeam = (team_id: string) => ({ path: { team_id } });
const ofProvider = (provider_id: string) => ({ params: { path: { provider_id } } });

export const listProviderKinds = () => body(api.GET("/api/v1/provider-kinds"));
export const listKnownModels = (kind: string) =>
  body(api.GET("/api/v1/provider-kinds/{kind}/models", { params: { path: { kind } } }));
export const listProviders = (teamId: string) =>
  body(
    api.GET("/api/v1/teams/{team_id}/providers", { params: { ...ofTeam(teamId), query: { limit: 100 } } }),
  );
export const createProvider = (teamId: string, content: NewProvider) =>
  body(api.POST("/api/v1/teams/{team_id}/providers", { params: ofTeam(teamId), body: content }));
export const changeProvider = (id: string, content: ProviderChange) =>
  body(api.PUT("/api/v1/providers/{provider_id}", { ...ofProvider(id), body: content }));
export const removeProvider = (id: string) =>
  body(api.DELETE("/api/v1/providers/{provider_id}", ofProvider(id)));
export const replaceKey = (id: string, key: string) =>
  body(api.PUT("/api/v1/providers/{provider_id}/key", { ...ofProvider(id), body: { key } }));
export const testProvider = (id: string, model = "") =>
  body(api.POST("/api/v1/providers/{provider_id}/test", { ...ofProvider(id), body: { model } }));
export const findModels = (id: string): Promise<FoundModels> =>
  body(api.POST("/api/v1/providers/{provider_id}/find-models", ofProvider(id)));

export const beginSignIn = (id: string): Promise<ProviderSignIn> =>
  body(api.POST("/api/v1/providers/{provider_id}/sign-in", ofProvider(id)));
export const checkSignIn = (id: string): Promise<ProviderSignIn> =>
  body(api.POST("/api/v1/providers/{provider_id}/sign-in/check", ofProvider(id)));

/** `place` is the id of a team or a project. */
export const listModels = (place: string): Promise<ModelMenu> =>
  place.startsWith("tea_")
    ? body(api.GET("/api/v1/teams/{team_id}/models", { params: ofTeam(place) }))
    : body(api.GET("/api/v1/projects/{project_id}/models", { params: { path: { project_id: place } } }));

export const chooseModels = (place: string, choice: ModelChoice): Promise<ModelMenu> =>
  place.startsWith("tea_")
    ? body(api.PUT("/api/v1/teams/{team_id}/models", { params: ofTeam(place), body: choice }))
    : body(
        api.PUT("/api/v1/projects/{project_id}/models", {
          params: { path: { project_id: place } },
          body: choice,
        }),
      );

export type GroupBy = "day" | "model" | "provider" | "person" | "project" | "session" | "purpose";

export interface UsageQuery {
  group_by: GroupBy;
  since: string;
  until: string;
}

export const readTeamUsage = (teamId: string, query: UsageQuery): Promise<ModelUsage> =>
  body(api.GET("/api/v1/teams/{team_id}/usage", { params: { ...ofTeam(teamId), query } }));
export const readSessionUsage = (session_id: string): Promise<ModelUsage> =>
  body(
    api.GET("/api/v1/sessions/{session_id}/usage", {
      params: { path: { session_id }, query: { group_by: "model" } },
    }),
  );
export const usageTableAddress = (teamId: string, { since, until }: UsageQuery): string =>
  `${prefix}/api/v1/teams/${teamId}/usage.csv?since=${since}&until=${until}`;
