// API calls for variables of teams, projects and people.
import { api, body } from "./http";
import { readAllPages } from "./pages";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type Variable = Schemas["VariableView"];
type Body = Schemas["NewVariable"];
export type NewVariable = Pick<Body, "name" | "value" | "secret"> & Partial<Body>;
export type VariableChange = Partial<Schemas["VariableChange"]>;

/** Where variables belong: to a team, a project, or the signed-in person. */
export type VariableOwner = { team: string } | { project: string } | "me";

export const listVariables = (owner: VariableOwner) => readAllPages((cursor) => page(owner, cursor));

function page(owner: VariableOwner, cursor: string | undefined): Promise<Schemas["VariablePage"]> {
  const query = { limit: 100, cursor };
  if (owner === "me") return body(api.GET("/api/v1/me/variables", { params: { query } }));
  if ("team" in owner)
    return body(
      api.GET("/api/v1/teams/{team_id}/variables", { params: { path: { team_id: owner.team }, query } }),
    );
  return body(
    api.GET("/api/v1/projects/{project_id}/variables", {
      params: { path: { project_id: owner.project }, query },
    }),
  );
}

export function createVariable(owner: VariableOwner, variable: NewVariable): Promise<Variable> {
  if (owner === "me") return body(api.POST("/api/v1/me/variables", { body: variable as Body }));
  if ("team" in owner)
    return body(
      api.POST("/api/v1/teams/{team_id}/variables", {
        params: { path: { team_id: owner.team } },
        body: variable as Body,
      }),
    );
  return body(
    api.POST("/api/v1/projects/{project_id}/variables", {
      params: { path: { project_id: owner.project } },
      body: variable as Body,
    }),
  );
}

const ofVariable = (id: string) => ({ params: { path: { variable_id: id } } });

export const changeVariable = (id: string, change: VariableChange) =>
  body(
    api.PATCH("/api/v1/variables/{variable_id}", {
      ...ofVariable(id),
      body: change as Schemas["VariableChange"],
    }),
  );

export const removeVariable = (id: string) =>
  body(api.DELETE("/api/v1/variables/{variable_id}", ofVariable(id)));
