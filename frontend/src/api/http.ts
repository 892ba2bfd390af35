// One door to the server: same-origin JSON with the CSRF header, and one error shape.
import { atPrefix } from "../lib/prefix";

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint = "",
    readonly fields: Record<string, string> = {},
    readonly requestId = "",
  ) {
    super(message);
    this.name = "ApiError";
  }

  get isOffline(): boolean {
    return this.status === 0;
  }
}

const signedOutListeners = new Set<() => void>();

/** Called whenever the server says that nobody is signed in any more. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

export const reportSignedOut = (): void => {
  for (const listener of signedOutListeners) listener();
};

const SAFE = new Set(["GET", "HEAD"]);

function csrfToken(): string {
  const match = /(?:^|;\s*)csrftoken=([^;]+)/.exec(document.cookie);
  return match?.[1] ? decodeURIComponent(match[1]) : "";
}

function errorFrom(status: number, body: unknown): ApiError {
  const error = (body as { error?: Record<string, unknown> } | null)?.error;
  if (error && typeof error.message === "string") {
    return new ApiError(
      status,
      String(error.code ?? "error"),
      error.message,
      String(error.hint ?? ""),
      (error.fields as Record<string, string>) ?? {},
      String(error.request_id ?? ""),
    );
  }
  return new ApiError(
    status,
    "unexpected_answer",
    `The site answered with status ${status}.`,
    "Nothing you entered is lost. Try again in a few seconds.",
  );
}

/** Reads the body as JSON, or null when there is none. */
async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!text) return null;
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const all: Record<string, string> = { Accept: "application/json", ...headers };
  if (body !== undefined) all["Content-Type"] = "application/json";
  if (!SAFE.has(method)) all["X-CSRFToken"] = csrfToken();
  try {
    return await fetch(atPrefix(path), {
      method,
      headers: all,
      credentials: "same-origin",
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    throw new ApiError(
      0,
      "offline",
      "The site cannot be reached.",
      "Check your connection. Nothing is lost; try again when it is back.",
    );
  }
}

/** Status and body as they come; only a lost connection throws. */
export async function raw(method: string, path: string, body?: unknown) {
  const response = await send(method, path, body);
  return { status: response.status, body: await readJson(response) };
}

export async function request<T>(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<T> {
  const response = await send(method, path, body, headers);
  const json = await readJson(response);
  if (response.ok) return json as T;
  if (response.status === 401) reportSignedOut();
  throw errorFrom(response.status, json);
}
