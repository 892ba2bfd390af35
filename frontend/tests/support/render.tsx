import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { fireEvent, type RenderResult, render, screen } from "@testing-library/react";
import type { ReactNode } from "react";
import { vi } from "vitest";
import { createStore } from "zustand/vanilla";
import type { Snapshot } from "../../src/api/types";
import { queryClient } from "../../src/app/queries";
import "../../src/ui/MenuPopup"; // so that no test waits for it
import { PromptProvider } from "../../src/conversation/PromptContext";
import { SessionProvider } from "../../src/store/SessionContext";
import type { LiveSession, SessionConnection } from "../../src/store/session";
import { stateFromSnapshot } from "../../src/store/state";
import { snapshot } from "./builders";

/** A connection without a socket: the test sets the state. */
export function stillConnection(shot: Snapshot = snapshot()): SessionConnection {
  const store = createStore<LiveSession>(() => ({
    ...stateFromSnapshot(shot),
    link: "live",
    ended: null,
    filesVersion: 1,
    reviewVersion: 1,
    isLoadingOlder: false,
    olderError: null,
  }));
  return {
    store,
    showRequest: vi.fn(),
    showQuestion: vi.fn(),
    showSession: vi.fn(),
    loadOlder: vi.fn(),
    retryNow: vi.fn(),
    close: vi.fn(),
  };
}

/** Outside of any session, with what every page has around it. */
export function renderApart(node: ReactNode): RenderResult {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(<QueryClientProvider client={queries}>{node}</QueryClientProvider>);
}

/** With the client that pages refresh by themselves. */
export function renderOnPage(node: ReactNode): RenderResult {
  return render(<QueryClientProvider client={queryClient}>{node}</QueryClientProvider>);
}

export function renderInSession(
  node: ReactNode,
  shot?: Snapshot,
): RenderResult & { connection: SessionConnection } {
  const connection = stillConnection(shot);
  const shown = renderApart(
    <SessionProvider value={connection}>
      <PromptProvider sessionId="ses_1">{node}</PromptProvider>
    </SessionProvider>,
  );
  return { ...shown, connection };
}

type Answer = { status?: number; body?: unknown } | Error;

/** What /me answers for a person without a team. */
export const ME = {
  body: {
    user: { id: "usr_1", email: "a@example.org", name: "A" },
    teams: [],
    site: { demo_model: true, model: "demo" },
    is_operator: false,
    can_create_teams: true,
  },
};

/** What /me answers for a person with this role in the team of project prj_1. */
export const meAs = (role: string): Answer => ({
  body: {
    ...ME.body,
    teams: [{ id: "tea_1", slug: "t", name: "Team", role, may_approve: true, remove_at: null }],
  },
});
export const PROJECT: Answer = { body: { id: "prj_1", team_id: "tea_1", name: "Tea shop" } };

export interface Asked {
  method: string;
  path: string;
  query: string;
  body: unknown;
  csrf: string | null;
}

/** In place of the network: answers by "METHOD /path", and remembers what was asked. */
export function serve(answers: Record<string, Answer | (() => Answer)>): Asked[] {
  const asked: Asked[] = [];
  vi.stubGlobal("fetch", async (input: Request | string, init?: RequestInit) => {
    const request =
      input instanceof Request ? input : new Request(new URL(input, window.location.origin), init);
    const { pathname, search } = new URL(request.url);
    const text = await request.clone().text();
    asked.push({
      method: request.method,
      path: pathname,
      query: search,
      body: isForm(request) ? text : text ? JSON.parse(text) : null,
      csrf: request.headers.get("X-CSRFToken"),
    });
    const all: typeof answers = { "GET /api/v1/me": ME, ...answers };
    const given = all[`${request.method} ${pathname}`];
    const answer = typeof given === "function" ? given() : given;
    if (answer instanceof Error) throw answer;
    if (!answer) return new Response(JSON.stringify({ items: [] }), { status: 200 });
    const content = answer.body === undefined ? "" : JSON.stringify(answer.body);
    return new Response(answer.status === 204 ? null : content, { status: answer.status ?? 200 });
  });
  return asked;
}

const isForm = (request: Request) => !!request.headers.get("Content-Type")?.startsWith("multipart/");

export const failure = (status: number, code: string, message: string, hint = ""): Answer => ({
  status,
  body: { error: { code, message, hint, fields: {}, request_id: "req_1" } },
});

/** Opens the menu behind the button, and waits for its list. */
export async function openMenu(button: string | RegExp): Promise<HTMLElement> {
  fireEvent.click(await screen.findByRole("button", { name: button }));
  return screen.findByRole("menu");
}
