// API calls for uploaded skills, and for the skills of a session.
import { atPrefix } from "../lib/prefix";
import { api, body } from "./http";
import type { components, paths } from "./schema";

type Schemas = components["schemas"];
type UploadBody =
  paths["/api/v1/configurations/{place}/skills"]["post"]["requestBody"]["content"]["multipart/form-data"];

export type SkillPackage = Schemas["SkillPackageView"];
export type SessionSkill = Schemas["SessionSkillView"];

const ofPlace = (place: string) => ({ params: { path: { place } } });
const ofPackage = (skill_package_id: string) => ({ params: { path: { skill_package_id } } });

/** `place` is "site", or the id of a team, a project or the signed-in person. */
export const listSkillPackages = (place: string) =>
  body(api.GET("/api/v1/configurations/{place}/skills", ofPlace(place)));

/** Uploads a zip file with a SKILL.md. It is in force at once. */
export function uploadSkill(place: string, file: File): Promise<SkillPackage> {
  const form = new FormData();
  form.append("file", file);
  return body(
    api.POST("/api/v1/configurations/{place}/skills", {
      ...ofPlace(place),
      body: form as unknown as UploadBody,
      bodySerializer: () => form,
    }),
  );
}

/** Chooses the version that agents load; null switches the skill off. */
export const chooseVersion = (id: string, in_force: number | null) =>
  body(api.PATCH("/api/v1/skill-packages/{skill_package_id}", { ...ofPackage(id), body: { in_force } }));

export const deleteSkill = (id: string) =>
  body(api.DELETE("/api/v1/skill-packages/{skill_package_id}", ofPackage(id)));

export const skillAddress = (id: string, version: number): string =>
  atPrefix(`/api/v1/skill-packages/${encodeURIComponent(id)}/versions/${version}`);

export const listSessionSkills = (session_id: string) =>
  body(api.GET("/api/v1/sessions/{session_id}/skills", { params: { path: { session_id } } }));
