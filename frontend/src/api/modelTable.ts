// API calls for the site's table of models.
import { api, body } from "./http";
import type { components } from "./schema";

export type ModelTable = components["schemas"]["ModelTableView"];
export type TableModel = components["schemas"]["TableModel"];

export const readModelTable = () => body(api.GET("/api/v1/model-table"));
export const searchModelTable = (search: string, provider: string, cursor: string | undefined) =>
  body(
    api.GET("/api/v1/model-table/models", {
      params: { query: { search, provider, limit: 50, ...(cursor ? { cursor } : {}) } },
    }),
  );
export const refreshModelTable = () => body(api.POST("/api/v1/model-table/refresh"));
export const resetModelTable = () => body(api.DELETE("/api/v1/model-table"));
