// API calls for API tokens of people and service accounts.
import { api, body } from "./http";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Token = Schemas["TokenView"];
export type Scope = Token["scopes"][number];
export type NewToken = Schemas["NewToken"];
export type ServiceAccount = Schemas["ServiceAccountView"];
export type ServiceRole = "admin" | "member" | "viewer";

const ofAccount = (id: string) => ({ params: { path: { account_id: id } } });

export const listTokens = () => body(api.GET("/api/v1/tokens", { params: { query: { limit: 100 } } }));
export const createToken = (token: NewToken) => body(api.POST("/api/v1/tokens", { body: token }));
export const revokeToken = (id: string) =>
  body(api.DELETE("/api/v1/tokens/{token_id}", { params: { path: { token_id: id } } }));

export const listServiceAccounts = (teamId: string) =>
  body(
    api.GET("/api/v1/teams/{team_id}/service-accounts", {
      params: { path: { team_id: teamId }, query: { limit: 100 } },
    }),
  );
export const createServiceAccount = (teamId: string, account: Schemas["NewServiceAccount"]) =>
  body(
    api.POST("/api/v1/teams/{team_id}/service-accounts", {
      params: { path: { team_id: teamId } },
      body: account,
    }),
  );
export const changeServiceAccount = (id: string, change: Schemas["ServiceAccountChange"]) =>
  body(api.PATCH("/api/v1/service-accounts/{account_id}", { ...ofAccount(id), body: change }));
export const removeServiceAccount = (id: string) =>
  body(api.DELETE("/api/v1/service-accounts/{account_id}", ofAccount(id)));
export const listServiceTokens = (id: string) =>
  body(
    api.GET("/api/v1/service-accounts/{account_id}/tokens", {
      params: { path: { account_id: id }, query: { limit: 100 } },
    }),
  );
export const createServiceToken = (id: string, token: Schemas["NewServiceToken"]) =>
  body(api.POST("/api/v1/service-accounts/{account_id}/tokens", { ...ofAccount(id), body: token }));
