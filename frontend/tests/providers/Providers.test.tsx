import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { Providers } from "../../src/providers/Providers";
import { refreshProviders } from "../../src/providers/queries";
import { Usage } from "../../src/usage/Usage";
import { failure, renderOnPage, serve } from "../support/render";

const TEAM = { id: "tea_1", slug: "t", name: "Team", role: "owner" } as Parameters<
  typeof Providers
>[0]["team"];
const KIND = {
  name: "openai",
  title: "OpenAI",
  base_url: "https://api.openai.com/v1",
  wants_address: false,
  example: "",
  needs_key: true,
  key_form: "key",
  signs_in: false,
  sign_in_problem: "",
  lists_models: true,
  options: [],
};
const provider = (over = {}) => ({
  id: "pvd_1",
  team_id: "tea_1",
  slug: "acme",
  name: "Acme",
  kind: "openai",
  base_url: KIND.base_url,
  options: {},
  enabled: true,
  key: { ending: "cdef", set_by: "Dana", set_at: null },
  header_names: [],
  timeout_seconds: null,
  retries: null,
  models: [{ name: "gpt-5", context: 0, sees: null, prices: null }],
  state: "ok",
  problem: null,
  state_at: null,
  version: 1,
  created_at: "2026-03-01T00:00:00Z",
  changed_at: "2026-03-01T00:00:00Z",
  ...over,
});
const model = (id: string, over = {}) => ({
  id,
  name: id,
  provider: "site",
  provider_name: "This site",
  provider_state: "ok",
  refusal: "",
  context: null,
  prices: null,
  own_prices: false,
  sees: [],
  ...over,
});
const MENU = {
  items: [model("demo"), model("acme/gpt-5", { refusal: "" })],
  default: "demo",
  small: "demo-small",
  own: { default_model: "", small_model: "", blocked: [], only: [], fallbacks: [], version: 0 },
  can_edit: true,
};
const answers = (rows: unknown[], over = {}) => ({
  "GET /api/v1/provider-kinds": { body: { items: [KIND] } },
  "GET /api/v1/teams/tea_1/providers": { body: { items: rows, next_cursor: null } },
  "GET /api/v1/teams/tea_1/models": { body: MENU },
  ...over,
});

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("the providers of a team", () => {
  it("show the end of a key and never more, and why one fails", async () => {
    const problem = { code: "model_refused.key", message: "The key was refused.", hint: "Replace it." };
    serve(answers([provider({ state: "failing", problem })]));
    renderOnPage(<Providers team={TEAM} />);
    const row = await screen.findByTestId("provider-row");
    expect(row.textContent).toContain("ends in …cdef by Dana");
    expect(row.textContent).toContain("The key was refused. Replace it.");
    expect(row.getAttribute("data-state")).toBe("failing");
  });

  it("say when there is none", async () => {
    serve(answers([]));
    renderOnPage(<Providers team={TEAM} />);
    expect(await screen.findByText(/No providers yet/)).toBeDefined();
  });

  it("tell each step of a test", async () => {
    const checks = [
      { name: "models", ok: true, message: "It lists 3 models.", hint: "" },
      {
        name: "answer",
        ok: false,
        message: "The provider does not know the model.",
        hint: "Choose another.",
      },
    ];
    serve(
      answers([provider()], {
        "POST /api/v1/providers/pvd_1/test": { body: { ok: false, checks, models: [] } },
      }),
    );
    renderOnPage(<Providers team={TEAM} />);
    await userEvent.click(await screen.findByRole("button", { name: "Test" }));
    const result = await screen.findByRole("list", { name: "Result of the test" });
    expect(result.textContent).toContain("The provider does not know the model. Choose another.");
  });

  it("keep what was typed when the form is closed by accident, and test at once what was saved", async () => {
    let rows: unknown[] = [];
    const checks = [{ name: "models", ok: true, message: "It lists 3 models.", hint: "" }];
    serve(
      answers([], {
        "GET /api/v1/teams/tea_1/providers": () => ({ body: { items: rows } }),
        "GET /api/v1/provider-kinds/openai/models": { body: { items: [] } },
        "POST /api/v1/teams/tea_1/providers": () => {
          rows = [provider()];
          return { status: 201, body: rows[0] };
        },
        "POST /api/v1/providers/pvd_1/test": { body: { ok: true, checks, models: [] } },
      }),
    );
    renderOnPage(<Providers team={TEAM} />);
    const open = await screen.findByRole("button", { name: "Add provider" });
    await userEvent.click(open);
    await userEvent.type(screen.getByLabelText("Key"), "sk-typed");
    await userEvent.click(screen.getByRole("button", { name: "Close" }));
    await userEvent.click(open);
    expect((screen.getByLabelText("Key") as HTMLInputElement).value).toBe("sk-typed");
    await userEvent.click(screen.getAllByRole("button", { name: "Add provider" }).at(-1) as HTMLElement);
    const result = await screen.findByRole("list", { name: "Result of the test" });
    expect(result.textContent).toContain("It lists 3 models.");
  });

  it("offer the models of a provider that was added without any, and save the ticked ones", async () => {
    const kind = { ...KIND, name: "ollama", title: "Ollama", wants_address: true, needs_key: false };
    const saved = provider({ kind: "ollama", key: null, models: [], base_url: "https://gpu.example/v1" });
    const entry = {
      name: "qwen3",
      context: 40960,
      max_output: 0,
      sees: null,
      prices: null,
      calls_tools: true,
    };
    const item = { ...entry, reasons: false, sees_images: false, is_added: false, max_output: null, entry };
    const sent = serve(
      answers([saved], {
        "GET /api/v1/provider-kinds": { body: { items: [kind] } },
        "GET /api/v1/provider-kinds/ollama/models": { body: { items: [] } },
        "POST /api/v1/teams/tea_1/providers": { status: 201, body: saved },
        "POST /api/v1/providers/pvd_1/find-models": { body: { items: [item], others: 0, problem: null } },
        "PUT /api/v1/providers/pvd_1": { body: saved },
      }),
    );
    renderOnPage(<Providers team={TEAM} />);
    await userEvent.click(await screen.findByRole("button", { name: "Add provider" }));
    await userEvent.type(screen.getByLabelText(/^Address/), "https://gpu.example/v1");
    await userEvent.click(screen.getAllByRole("button", { name: "Add provider" }).at(-1) as HTMLElement);
    await userEvent.click(await screen.findByLabelText("qwen3"));
    await userEvent.click(screen.getByRole("button", { name: "Add 1 model" }));
    await waitFor(() => expect(JSON.stringify(sent)).toContain('"context":40960'));
    await waitFor(() => expect(screen.queryByRole("list", { name: "Found models" })).toBeNull());
  });

  it("sign in with a code, and say when it was declined", async () => {
    const kind = { ...KIND, name: "github_copilot", title: "GitHub Copilot", signs_in: true };
    const begun = {
      state: "pending",
      user_code: "WDJB-MJHT",
      address: "https://github.com/login/device",
      interval: 0,
    };
    serve(
      answers([provider({ kind: "github_copilot", key: null })], {
        "GET /api/v1/provider-kinds": { body: { items: [kind] } },
        "POST /api/v1/providers/pvd_1/sign-in": { body: begun },
        "POST /api/v1/providers/pvd_1/sign-in/check": { body: { ...begun, state: "denied" } },
      }),
    );
    renderOnPage(<Providers team={TEAM} />);
    await userEvent.click(await screen.findByRole("button", { name: "Sign in" }));
    await userEvent.click(screen.getByRole("button", { name: "Get a code" }));
    expect((await screen.findByRole("alert")).textContent).toContain("declined");
    expect(screen.getByRole("button", { name: "Get a new code" })).toBeDefined();
  });

  it("do not test a provider that still needs a key or a sign-in", async () => {
    const kind = { ...KIND, name: "gitlab", title: "GitLab Duo", signs_in: true, lists_models: false };
    const saved = provider({ kind: "gitlab", key: null, models: [] });
    const asked = serve(
      answers([saved], {
        "GET /api/v1/provider-kinds": { body: { items: [kind] } },
        "POST /api/v1/teams/tea_1/providers": { status: 201, body: saved },
      }),
    );
    renderOnPage(<Providers team={TEAM} />);
    await userEvent.click(await screen.findByRole("button", { name: "Add provider" }));
    await userEvent.click(screen.getAllByRole("button", { name: "Add provider" }).at(-1) as HTMLElement);
    await waitFor(() => expect(screen.queryByRole("form", { name: "Provider" })).toBeNull());
    expect(asked.filter(({ method }) => method === "POST")).toHaveLength(1);
  });

  it("say why nobody can sign in on a site without an OAuth client", async () => {
    const problem = "This site has no OAuth client for GitLab Duo.";
    const kind = { ...KIND, name: "gitlab", title: "GitLab Duo", signs_in: true, sign_in_problem: problem };
    serve(
      answers([provider({ kind: "gitlab", key: null })], {
        "GET /api/v1/provider-kinds": { body: { items: [kind] } },
      }),
    );
    renderOnPage(<Providers team={TEAM} />);
    await userEvent.click(await screen.findByRole("button", { name: "Sign in" }));
    expect((await screen.findByRole("alert")).textContent).toBe(problem);
    expect(screen.queryByRole("button", { name: "Get a code" })).toBeNull();
  });

  it("put fallback models in an order", async () => {
    const sent = serve(answers([], { "PUT /api/v1/teams/tea_1/models": { body: MENU } }));
    renderOnPage(<Providers team={TEAM} />);
    const add = await screen.findByRole("combobox", { name: "Add a fallback model" });
    await userEvent.selectOptions(add, "demo");
    await userEvent.selectOptions(add, "acme/gpt-5");
    await userEvent.click(screen.getByRole("button", { name: "Move acme/gpt-5 up" }));
    await userEvent.click(screen.getByRole("button", { name: "Save models" }));
    await waitFor(() => expect(JSON.stringify(sent)).toContain("acme/gpt-5"));
    expect(screen.getByRole("list", { name: "Fallback models" }).textContent).toContain("acme/gpt-5");
  });

  it("forget the result of a test when something was changed since", async () => {
    const checks = [{ name: "models", ok: true, message: "It lists 3 models.", hint: "" }];
    let version = 1;
    serve(
      answers([], {
        "GET /api/v1/teams/tea_1/providers": () => ({ body: { items: [provider({ version })] } }),
        "POST /api/v1/providers/pvd_1/test": { body: { ok: true, checks, models: [] } },
      }),
    );
    renderOnPage(<Providers team={TEAM} />);
    await userEvent.click(await screen.findByRole("button", { name: "Test" }));
    await screen.findByRole("list", { name: "Result of the test" });
    version = 2;
    await refreshProviders();
    await waitFor(() => expect(screen.queryByRole("list", { name: "Result of the test" })).toBeNull());
  });

  it("offer to try again when they cannot be read", async () => {
    serve(answers([], { "GET /api/v1/teams/tea_1/providers": failure(403, "not_allowed", "Not for you.") }));
    renderOnPage(<Providers team={TEAM} />);
    expect((await screen.findAllByRole("button", { name: "Try again" })).length).toBeGreaterThan(0);
  });
});

describe("the usage of a team", () => {
  it("says what is unknown beside what is known", async () => {
    const tokens = { input: 100, output: 10, reasoning: 0, cache_read: 0, cache_write: 0 };
    const sums = { calls: 4, cost: "1.250000", unknown: 3, estimated: 0, tokens };
    const usage = {
      since: "2026-03-01",
      until: "2026-03-02",
      everybody: true,
      total: sums,
      items: [{ ...sums, key: "2026-03-01", label: "2026-03-01" }],
      more: false,
    };
    serve({ "GET /api/v1/teams/tea_1/usage": { body: usage } });
    renderOnPage(<Usage team={TEAM} />);
    await waitFor(() => expect(screen.getByText("3 calls with unknown price")).toBeDefined());
    expect(screen.getByRole("img").getAttribute("aria-label")).toContain("$1.25 on 2026-03-01");
    expect(screen.getByTestId("usage-row").textContent).toContain("$1.25");
    expect(screen.getByRole("link", { name: /Download CSV/ }).getAttribute("href")).toContain(
      "usage.csv?since=",
    );
  });
});
