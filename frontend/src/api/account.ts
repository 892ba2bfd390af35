// One's own account, as far as it is the API's. Signing in and second factors are in auth.ts.
import { api, body } from "./http";

export const rename = (name: string) => body(api.PATCH("/api/v1/me", { body: { name } }));
