import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, describe, expect, it, vi } from "vitest";
import { AuditRetention } from "../../src/team/AuditRetention";
import { renderApart, serve } from "../support/render";
import { team } from "../support/teams";

const PATH = "/api/v1/teams/tea_1/audit/retention";
const FOR_GOOD = { body: { days: null, in_force: null, cut_seq: 0 } };
const NINETY = { body: { days: 90, in_force: 90, cut_seq: 0 } };

afterEach(() => vi.unstubAllGlobals());

describe("how long the audit log is kept", () => {
  it("is chosen by owners, who are told what is lost and what stays provable", async () => {
    const asked = serve({ [`GET ${PATH}`]: FOR_GOOD, [`PUT ${PATH}`]: NINETY });
    renderApart(<AuditRetention team={team()} />);
    await screen.findByText("Entries are kept forever.");
    await userEvent.type(screen.getByLabelText(/Days/), "90");
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    expect(screen.getByText(/All entries older than 90 days are permanently deleted/)).toBeDefined();
    expect(screen.getByText(/Their chain can still be verified/)).toBeDefined();
    expect(asked.some((item) => item.method === "PUT")).toBe(false);
    await userEvent.click(screen.getByRole("button", { name: "Delete entries older than 90 days" }));
    await screen.findByText("Entries are kept for 90 days.");
    expect(asked.find((item) => item.method === "PUT")?.body).toEqual({ days: 90 });
  });

  it("is made longer without a question", async () => {
    const asked = serve({ [`GET ${PATH}`]: NINETY, [`PUT ${PATH}`]: FOR_GOOD });
    renderApart(<AuditRetention team={team()} />);
    await userEvent.clear(await screen.findByLabelText(/Days/));
    await userEvent.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked.find((item) => item.method === "PUT")?.body).toEqual({ days: null }));
  });

  it("is read by admins, and names the limit of the site", async () => {
    serve({ [`GET ${PATH}`]: { body: { days: null, in_force: 365, cut_seq: 12 } } });
    renderApart(<AuditRetention team={team({ role: "admin" })} />);
    expect((await screen.findByText(/Entries are kept for 365 days/)).textContent).toContain(
      "the limit of the site",
    );
    expect(screen.queryByRole("button")).toBeNull();
  });
});
