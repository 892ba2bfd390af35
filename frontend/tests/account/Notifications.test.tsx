import { fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Notifications } from "../../src/account/Notifications";
import { queryClient } from "../../src/app/queries";
import { renderOnPage, serve } from "../support/render";

const CHOICE = {
  mail: "own",
  delay_minutes: 5,
  news: ["budget"],
  quiet_hours: null as null | { begin: string; end: string },
  time_zone: "UTC",
};

function open(choice = CHOICE) {
  const asked = serve({
    "GET /api/v1/me/notifications": { body: choice },
    "PUT /api/v1/me/notifications": { body: { ...choice, quiet_hours: { begin: "22:00", end: "07:00" } } },
  });
  renderOnPage(<Notifications />);
  return () => asked.filter(({ method }) => method === "PUT").map(({ body }) => body);
}

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

it("switches one kind of e-mail on and keeps the others", async () => {
  const saved = open();
  await userEvent.click(await screen.findByRole("checkbox", { name: /has failed$/ }));
  await waitFor(() => expect(saved()).toEqual([{ ...CHOICE, news: ["budget", "turn_failed"] }]));
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
