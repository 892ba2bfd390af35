import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { publicLinks } from "../../src/together/publicLinks";
import { ShareLinks } from "../../src/together/ShareLinks";
import { policy, policyDocument } from "../support/policies";
import { failure, PROJECT, renderInSession, serve } from "../support/render";

const ANYBODY = "Anybody with the link";
const said = (place: string, public_share_links: boolean | null) =>
  policy({ place, options: { ...policyDocument().options, public_share_links } });
const policies = (site: boolean | null, team: boolean | null, project: boolean | null) => ({
  "GET /api/v1/projects/prj_1": PROJECT,
  "GET /api/v1/policies/site": { body: said("site", site) },
  "GET /api/v1/policies/tea_1": { body: said("tea_1", team) },
  "GET /api/v1/policies/prj_1": { body: said("prj_1", project) },
});
const offered = () => screen.queryByRole("option", { name: ANYBODY }) !== null;

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("links for anybody", () => {
  it("are off unless a policy allows them and none forbids them", () => {
    const state = (...values: [boolean | null, boolean | null]) =>
      publicLinks([said("site", values[0]), said("tea_1", values[1])], "prj_1").state;
    expect([state(null, null), state(null, true), state(true, true)]).toEqual(["off", "on", "on"]);
    expect([state(true, false), state(false, true)]).toEqual(["off", "off"]);
  });

  it("are offered where the policies allow them", async () => {
    serve(policies(true, null, null));
    renderInSession(<ShareLinks sessionId="ses_1" />);
    await waitFor(() => expect(offered()).toBe(true));
  });

  it("are not offered where a policy forbids them, which is said with the way to it", async () => {
    serve(policies(true, false, null));
    renderInSession(<ShareLinks sessionId="ses_1" />);
    expect(await screen.findByText(/The policy of the team forbids public links/)).toBeTruthy();
    expect(offered()).toBe(false);
    expect(screen.getByRole("link", { name: "Open the policy" }).getAttribute("href")).toContain("tea_1");
  });

  it("are taken back when the site refuses one, and the choice is the team again", async () => {
    const off = failure(403, "public_links_off", "The policy does not allow public links.", "Ask an admin.");
    const asked = serve({
      ...policies(true, null, null),
      "GET /api/v1/policies/site": failure(403, "not_allowed", "Not for you."),
      "POST /api/v1/sessions/ses_1/share-links": off,
    });
    renderInSession(<ShareLinks sessionId="ses_1" />);
    await waitFor(() => expect(asked.some((item) => item.path.endsWith("/policies/site"))).toBe(true));
    await waitFor(() => expect(offered()).toBe(true));
    const choice = screen.getByRole("combobox", { name: /Who can use it/ }) as HTMLSelectElement;
    await userEvent.selectOptions(choice, "public");
    await userEvent.click(screen.getByRole("button", { name: "Create link" }));
    expect(await screen.findByText("The policy does not allow public links.")).toBeTruthy();
    expect(offered()).toBe(false);
    expect(choice.value).toBe("team");
  });
});
