import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Notifications } from "../../src/account/Notifications";
import { queryClient } from "../../src/app/queries";
import { renderOnPage, serve } from "../support/render";

const CHOICE = {
  mail: "own",
  delay_minutes: 5,
  news: ["budget"],
  push: "own",
  push_news: ["turn_ended"],
  page: "all",
  page_news: [] as string[],
  quiet_hours: null as null | { begin: string; end: string },
  time_zone: "UTC",
};
const PHONE = {
  id: "psh_1",
  user_agent: "Mozilla/5.0 (Linux; Android 15) Chrome/140.0",
  service: "fcm.googleapis.com",
  created_at: "2026-03-10T12:00:00Z",
  used_at: null,
  problem: "The push service of this browser is down (status 503).",
  is_current: false,
};

function open(choice = CHOICE, push: object = { public_key: "key", browsers: [] }) {
  const asked = serve({
    "GET /api/v1/me/notifications": { body: choice },
    "PUT /api/v1/me/notifications": { body: { ...choice, quiet_hours: { begin: "22:00", end: "07:00" } } },
    "GET /api/v1/me/push": { body: push },
    "POST /api/v1/me/push/browsers/psh_1/test": { status: 202 },
    "DELETE /api/v1/me/push/browsers/psh_1": { status: 204 },
  });
  renderOnPage(<Notifications />);
  return (method = "PUT") => asked.filter((each) => each.method === method).map(({ body }) => body);
}

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

it("switches one kind on in one way and keeps the others", async () => {
  const saved = open();
  await userEvent.click(await screen.findByRole("checkbox", { name: /^E-mail: .* has failed$/ }));
  await waitFor(() => expect(saved()).toEqual([{ ...CHOICE, news: ["budget", "turn_failed"] }]));
});

it("keeps what another tab has changed meanwhile", async () => {
  let now: typeof CHOICE = CHOICE;
  const asked = serve({
    "GET /api/v1/me/notifications": () => ({ body: now }),
    "PUT /api/v1/me/notifications": { body: CHOICE },
    "GET /api/v1/me/push": { body: { public_key: "key", browsers: [] } },
  });
  renderOnPage(<Notifications />);
  const failed = await screen.findByRole("checkbox", { name: /^E-mail: .* has failed$/ });
  now = { ...CHOICE, mail: "all", news: ["budget", "comment"] };
  await userEvent.click(failed);
  await waitFor(() =>
    expect(asked.find(({ method }) => method === "PUT")?.body).toEqual({
      ...now,
      news: ["budget", "comment", "turn_failed"],
    }),
  );
});

it("switches push notices of one kind off, and chooses what waits for each way", async () => {
  const saved = open();
  await userEvent.click(
    await screen.findByRole("checkbox", { name: /^Push: The work that I started has ended/ }),
  );
  await waitFor(() => expect(saved()).toEqual([{ ...CHOICE, push_news: [] }]));
  await userEvent.selectOptions(
    await screen.findByRole("combobox", { name: /^Push: an agent waits/ }),
    "All",
  );
  await waitFor(() => expect(saved()[1]).toMatchObject({ push: "all" }));
});

it("offers nothing that open pages are not told", async () => {
  open();
  await screen.findByRole("table");
  expect(screen.queryByRole("checkbox", { name: /^Open page: Somebody commented/ })).toBeNull();
  expect(screen.getByRole("checkbox", { name: /^Open page: A budget/ })).toBeTruthy();
});

it("begins quiet hours with a night in the zone of the browser", async () => {
  const saved = open();
  await userEvent.click(await screen.findByRole("checkbox", { name: /during the night/ }));
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
  await waitFor(() =>
    expect(saved()).toEqual([{ ...CHOICE, quiet_hours: { begin: "22:00", end: "07:00" }, time_zone: zone }]),
  );
  expect((await screen.findByLabelText("Until")).getAttribute("value")).toBe("07:00");
});

it("saves other hours only when the person asks for it", async () => {
  const saved = open({ ...CHOICE, quiet_hours: { begin: "22:00", end: "07:00" } });
  fireEvent.change(await screen.findByLabelText("From"), { target: { value: "20:30" } });
  expect(saved()).toEqual([]);
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  await waitFor(() => expect(saved()).toMatchObject([{ quiet_hours: { begin: "20:30", end: "07:00" } }]));
});

it("says in a sentence why push notices cannot be turned on here", async () => {
  open();
  expect(
    await screen.findByText(/^(This browser has no push notices|Browsers allow push notices only)/),
  ).toBeTruthy();
  expect(screen.queryByRole("button", { name: "Turn push notices on" })).toBeNull();
});

it("says so if the site cannot send any", async () => {
  open(CHOICE, { public_key: null, browsers: [] });
  expect(await screen.findByText(/This site cannot send push notices/)).toBeTruthy();
});

it("lists browsers with what is wrong, tests and removes them", async () => {
  const sent = open(CHOICE, { public_key: "key", browsers: [PHONE] });
  const row = within(await screen.findByTestId("push-browser"));
  expect(row.getByText("Chrome on Android")).toBeTruthy();
  expect(row.getByText(/is down \(status 503\)/)).toBeTruthy();
  await userEvent.click(row.getByRole("button", { name: "Send a test to Chrome on Android" }));
  await row.findByText(/A test is on its way/);
  expect(sent("POST")).toHaveLength(1);
  await userEvent.click(row.getByRole("button", { name: "Remove Chrome on Android" }));
  await waitFor(() => expect(sent("DELETE")).toHaveLength(1));
});
