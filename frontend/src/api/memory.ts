// API calls for the memory of a project.
import { api, body } from "./http";
import { readAllPages } from "./pages";
import type { components } from "./schema";

type Schemas = components["schemas"];

export type MemoryNote = Schemas["MemoryNoteView"];

/** Reads all notes of a project, the newest first. */
export const listNotes = (projectId: string) =>
  readAllPages((cursor) =>
    body(
      api.GET("/api/v1/projects/{project_id}/memory-notes", {
        params: { path: { project_id: projectId }, query: { limit: 100, cursor } },
      }),
    ),
  );

export const addNote = (projectId: string, text: string): Promise<MemoryNote> =>
  body(
    api.POST("/api/v1/projects/{project_id}/memory-notes", {
      params: { path: { project_id: projectId } },
      body: { text },
    }),
  );

const ofNote = (id: string) => ({ params: { path: { memory_note_id: id } } });

export const changeNote = ({ id, version }: MemoryNote, text: string): Promise<MemoryNote> =>
  body(
    api.PATCH("/api/v1/memory-notes/{memory_note_id}", {
      ...ofNote(id),
      body: { text, base_version: version },
    }),
  );

export const deleteNote = (id: string) =>
  body(api.DELETE("/api/v1/memory-notes/{memory_note_id}", ofNote(id)));
