import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import type { StoredConfiguration } from "../../src/api/configuration";
import { queryClient } from "../../src/app/queries";
import { ConfigurationDocument } from "../../src/configuration/StoredConfiguration";
import { renderOnPage, serve } from "../support/render";

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

const ADDRESS = "/api/v1/configurations/tea_1";
const STORED: StoredConfiguration = {
  place: "tea_1",
  text: '{"theme": "dark"}',
  instructions: "Be brief.",
  version: 4,
  changed_by: { id: "usr_2", name: "Bo", email: "bo@example.org" },
  changed_at: null,
  can_edit: true,
  defaults: null,
  skill_sources: [],
  notes: [
    {
      key: "theme",
      path: ["theme"],
      value: "dark",
      status: "elsewhere",
      reason: "It is a setting of OpenCode's terminal.",
      written: "",
      sources: [],
      overridden: [],
    },
  ],
};

const button = () => screen.findByRole<HTMLButtonElement>("button", { name: "Save configuration" });
const instructions = () => screen.findByLabelText<HTMLTextAreaElement>("Instructions for every agent");

it("saves both texts over the version that was read, and says what does not apply", async () => {
  const asked = serve({
    [`GET ${ADDRESS}`]: { body: STORED },
    [`PUT ${ADDRESS}`]: { body: { ...STORED, instructions: "Be kind.", version: 5 } },
  });
  renderOnPage(<ConfigurationDocument place="tea_1" intro="For the team." />);
  expect((await screen.findByTestId("configuration-note")).textContent).toContain("Does not apply here.");
  expect((await button()).disabled).toBe(true);
  await userEvent.clear(await instructions());
  await userEvent.type(await instructions(), "Be kind.");
  await userEvent.click(await button());
  await waitFor(async () => expect((await button()).disabled).toBe(true));
  const sent = asked.find(({ method }) => method === "PUT")?.body;
  expect(sent).toEqual({ text: STORED.text, instructions: "Be kind.", base_version: 4 });
});

it("shows another person's text and keeps the draft until one is chosen", async () => {
  let served = STORED;
  const stale = { error: { code: "stale_configuration", message: "Changed.", hint: "", fields: {} } };
  serve({
    [`GET ${ADDRESS}`]: () => ({ body: served }),
    [`PUT ${ADDRESS}`]: { status: 409, body: stale },
  });
  renderOnPage(<ConfigurationDocument place="tea_1" intro="For the team." />);
  await userEvent.type(await instructions(), " Mine.");
  served = { ...STORED, instructions: "Theirs.", version: 5 };
  await userEvent.click(await button());
  expect((await screen.findByRole("alert")).textContent).toContain("Bo saved another text");
  expect((await instructions()).value).toBe("Be brief. Mine.");
  await userEvent.click(screen.getByRole("button", { name: "Use the saved text" }));
  expect((await instructions()).value).toBe("Theirs.");
});

it("cannot be changed by somebody who may only read it", async () => {
  serve({ [`GET ${ADDRESS}`]: { body: { ...STORED, can_edit: false } } });
  renderOnPage(<ConfigurationDocument place="tea_1" intro="For the team." />);
  expect((await instructions()).readOnly).toBe(true);
  expect(screen.queryByRole("button", { name: "Save configuration" })).toBeNull();
});

const DEFAULTS = {
  address: "https://company.example",
  text: '{"share":"disabled"}',
  read_at: "2026-01-01T10:00:00Z",
  tried_at: "2026-01-01T11:00:00Z",
  problem: "It answered 503.",
  notes: [],
};

it("says that the address of the organisation is down and reads it again", async () => {
  let served: StoredConfiguration = { ...STORED, defaults: DEFAULTS };
  const asked = serve({
    [`GET ${ADDRESS}`]: () => ({ body: served }),
    [`POST ${ADDRESS}/defaults/read`]: () => {
      const before = served;
      served = { ...STORED, defaults: { ...DEFAULTS, tried_at: "2026-01-01T12:00:00Z", problem: "" } };
      return { status: 202, body: before };
    },
  });
  renderOnPage(<ConfigurationDocument place="tea_1" intro="For the team." withDefaults />);
  expect((await screen.findByRole("alert")).textContent).toContain(
    "The document that was read before still applies.",
  );
  await userEvent.click(screen.getByRole("button", { name: "Read again" }));
  await waitFor(() => expect(screen.queryByRole("alert")).toBeNull(), { timeout: 5000 });
  expect(asked.filter(({ method }) => method === "POST")).toHaveLength(1);
});

it("saves the address of an organisation and says why one cannot be used", async () => {
  const refused = {
    error: { code: "bad_input", message: "It cannot be used.", hint: "", fields: { address: "Use https." } },
  };
  const asked = serve({
    [`GET ${ADDRESS}`]: { body: STORED },
    [`PUT ${ADDRESS}/defaults`]: { status: 400, body: refused },
  });
  renderOnPage(<ConfigurationDocument place="tea_1" intro="For the team." withDefaults />);
  await userEvent.type(await screen.findByLabelText("Address"), "http://company.example");
  await userEvent.click(screen.getByRole("button", { name: "Save address" }));
  expect((await screen.findByRole("alert")).textContent).toContain("Use https.");
  expect(asked.find(({ method }) => method === "PUT")?.body).toEqual({ address: "http://company.example" });
});

it("shows what was found at the addresses of skills, and why one failed", async () => {
  const tried = "2026-01-01T12:00:00Z";
  const sources = [
    { address: "https://s.example/skills", skills: ["tea", "milk"], problem: "", tried_at: tried },
    { address: "https://down.example", skills: [], problem: "It answered 503.", tried_at: tried },
  ];
  const text = '{"skills": {"urls": ["https://s.example/skills"]}}';
  let served: StoredConfiguration = { ...STORED, text, changed_at: new Date().toISOString() };
  serve({ [`GET ${ADDRESS}`]: () => ({ body: served }) });
  renderOnPage(<ConfigurationDocument place="tea_1" intro="For the team." />);
  const shown = await screen.findByRole("region", { name: "Addresses of skills" });
  expect(shown.textContent).toContain("Reading the addresses.");
  served = { ...served, changed_at: "2026-01-01T11:00:00Z", skill_sources: sources };
  await waitFor(() => expect(shown.textContent).toContain("every six hours"), { timeout: 5000 });
  expect(shown.textContent).toContain("https://s.example/skills 2 skills, read");
  expect(shown.textContent).toContain("It answered 503.");
});
