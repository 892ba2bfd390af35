// API calls for the own account. Signing in and MFA are in auth.ts.
import { atPrefix } from "../lib/prefix";
import { api, body } from "./http";

export const rename = (name: string) => body(api.PATCH("/api/v1/me", { body: { name } }));
export const deleteAccount = (proof: { password: string; address: string }) =>
  api.POST("/api/v1/me/delete", { body: proof });
export const exportAddress = atPrefix("/api/v1/me/export");
