// HTTP client: same-origin JSON with the CSRF header. Every failure becomes an ApiError.
import createClient from "openapi-fetch";
import { takeResponse } from "../lib/early";
import { prefix } from "../lib/prefix";
import type { ErrorCode } from "./errorCodes";
import type { paths } from "./schema";

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

/** Adds a listener that is called whenever the server answers that nobody is signed in. */
export function onSignedOut(listener: () => void): () => void {
  signedOutListeners.add(listener);
  return () => signedOutListeners.delete(listener);
}

export const reportSignedOut = (): void => {
  for (const listener of signedOutListeners) listener();
};

const SAFE_METHODS = new Set(["GET", "HEAD"]);

/**
 * Reads the CSRF cookie. Over HTTPS its name begins with `__Host-`; one without it may come from another
 * host.
 */
export function csrfToken(): string {
  const named = (name: string) => new RegExp(`(?:^|;\\s*)${name}=([^;]+)`).exec(document.cookie);
  const match = named("__Host-csrftoken") ?? named("csrftoken");
  return match?.[1] ? decodeURIComponent(match[1]) : "";
}

/** Whether the error is an answer of the API with this code. */
export const hasCode = (error: unknown, code: ErrorCode): boolean =>
  error instanceof ApiError && error.code === code;

/** Creates an ApiError from the status and body of an answer. */
export function errorFrom(status: number, body: unknown): ApiError {
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

/** Reads the body as JSON; null if there is none. */
async function readJson(response: Response): Promise<unknown> {
  const text = await response.text();
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return null;
  }
}

export const offlineError = (): ApiError =>
  new ApiError(
    0,
    "offline",
    "The site cannot be reached.",
    "Check your connection and try again. Nothing is lost.",
  );

async function fetchOrThrow(send: () => Promise<Response>): Promise<Response> {
  try {
    return await send();
  } catch {
    throw offlineError();
  }
}

const earlyResponse = ({ method, url }: Request): Promise<Response> | undefined =>
  method === "GET" ? takeResponse(url.slice(window.location.origin.length)) : undefined;

const client = createClient<paths>({
  baseUrl: window.location.origin + prefix,
  credentials: "same-origin",
  headers: { Accept: "application/json" },
  // `fetch` is looked up at each call so that tests can replace it.
  fetch: (request) => fetchOrThrow(() => earlyResponse(request) ?? fetch(request)),
});

client.use({
  onRequest({ request }) {
    if (!SAFE_METHODS.has(request.method)) request.headers.set("X-CSRFToken", csrfToken());
  },
  async onResponse({ response }) {
    if (response.ok) return;
    if (response.status === 401) reportSignedOut();
    throw errorFrom(response.status, await readJson(response.clone()));
  },
});

/** The typed client of the committed OpenAPI document. Throws an ApiError unless the answer is a success. */
export const api = client;

/** Returns the body of a successful answer. */
export async function body<Data>(answer: Promise<{ data?: Data }>): Promise<Data> {
  return (await answer).data as Data;
}

/** The tag of the version that was read, to be sent as If-Match with a change of it. */
export interface Versioned {
  tag: string;
}

/** Returns the body of a successful answer with the tag of its version. */
export async function versioned<Data>(
  answer: Promise<{ data?: Data; response: Response }>,
): Promise<Data & Versioned> {
  const { data, response } = await answer;
  return { ...(data as Data), tag: response.headers.get("ETag") ?? "*" };
}

/**
 * Sends a request that is not in the OpenAPI document (signing in). Returns status and body without checking
 * them.
 */
export async function raw(
  method: string,
  path: string,
  content?: unknown,
  more: Record<string, string> = {},
) {
  const headers: Record<string, string> = { Accept: "application/json", ...more };
  if (content !== undefined) headers["Content-Type"] = "application/json";
  if (!SAFE_METHODS.has(method)) headers["X-CSRFToken"] = csrfToken();
  const response = await fetchOrThrow(() =>
    fetch(prefix + path, {
      method,
      headers,
      credentials: "same-origin",
      body: content === undefined ? undefined : JSON.stringify(content),
    }),
  );
  return { status: response.status, body: await readJson(response) };
}
