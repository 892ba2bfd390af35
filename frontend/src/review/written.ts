// Texts of comments that are not saved on the server yet. The browser keeps them until they are.
import { readStored, writeStored } from "../lib/storage";
import type { Place } from "./rows";

export interface Written {
  get: (key: string) => string;
  /** An empty text is forgotten. */
  set: (key: string, text: string) => void;
}

export const keyOfPlace = (place: Place) => `${place.side}:${place.first}:${place.last}:${place.path}`;
export const keyOfEdit = (commentId: string) => `edit:${commentId}`;

export function writtenOf(sessionId: string): Written {
  const name = (key: string) => `review.${sessionId}.${key}`;
  return {
    get: (key) => readStored(name(key)) ?? "",
    set: (key, text) => writeStored(name(key), text || null),
  };
}

const placeName = (sessionId: string) => `review.${sessionId}`;

/** Remembers where a comment is being written, to open it there after a reload. */
export function rememberPlace(sessionId: string, place: Place | null): void {
  writeStored(placeName(sessionId), place && JSON.stringify(place));
}

/** Returns where a comment was being written, null if none was. */
export function rememberedPlace(sessionId: string): Place | null {
  try {
    const place = JSON.parse(readStored(placeName(sessionId)) ?? "null") as Place | null;
    return place && writtenOf(sessionId).get(keyOfPlace(place)) ? place : null;
  } catch {
    return null;
  }
}
