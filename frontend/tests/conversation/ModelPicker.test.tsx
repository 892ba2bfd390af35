import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ModelPicker } from "../../src/conversation/ModelPicker";
import { session, snapshot } from "../support/builders";
import { openMenu, renderInSession, serve } from "../support/render";

const model = (id: string, refusal = "") => ({
  id,
  name: id,
  provider: "site",
  provider_name: "This site",
  provider_state: "ok",
  refusal,
  context: null,
  prices: null,
  own_prices: false,
  sees: [],
  efforts: [],
  calls_tools: null as boolean | null,
});
const menu = (...items: unknown[]) => ({
  body: { items, default: "demo", small: "demo", own: { version: 0 }, can_edit: false },
});
const PATH = "GET /api/v1/projects/prj_1/models";
const SHOT = snapshot({ session: session({ model: "" }) });

afterEach(() => vi.unstubAllGlobals());

describe("the choice of a model", () => {
  it("offers what may be used, and sends what was chosen", async () => {
    const asked = serve({
      [PATH]: menu(model("demo"), model("house/large"), model("house/off", "your team has blocked it"), {
        ...model("house/mute"),
        provider: "prv_1",
        calls_tools: false,
      }),
      "PATCH /api/v1/sessions/ses_1": { body: session({ model: "house/large" }) },
    });
    const { connection } = renderInSession(<ModelPicker ofAgent="" />, SHOT);
    await openMenu(/^Model/);
    const large = screen.getByRole("menuitemradio", { name: /^house\/large/ });
    expect(screen.queryByText("house/off")).toBeNull();
    expect(screen.queryByText("house/mute")).toBeNull();
    fireEvent.click(large);
    await waitFor(() => expect(connection.showSession).toHaveBeenCalled());
    expect(asked.at(-1)?.body).toEqual({ model: "house/large" });
  });

  it("offers the efforts that the model takes beside it, and sends what was chosen", async () => {
    const asked = serve({
      [PATH]: menu({ ...model("demo"), efforts: ["low", "high"] }),
      "PATCH /api/v1/sessions/ses_1": { body: session({ effort: "high" }) },
    });
    const { connection } = renderInSession(<ModelPicker ofAgent="" effortOfAgent="low" />, SHOT);
    await openMenu(/^Reasoning effort/);
    expect(screen.getAllByRole("menuitemradio").map((item) => item.textContent)).toEqual([
      "Default (Low)Set by the agent or the model",
      "Low",
      "High",
    ]);
    fireEvent.click(screen.getByRole("menuitemradio", { name: "High" }));
    await waitFor(() => expect(connection.showSession).toHaveBeenCalled());
    expect(asked.at(-1)?.body).toEqual({ effort: "high" });
  });

  it("offers no effort for a model that takes none", async () => {
    serve({ [PATH]: menu(model("demo")) });
    renderInSession(
      <ModelPicker ofAgent="" />,
      snapshot({ session: session({ model: "", effort: "high" }) }),
    );
    expect(await screen.findByText("demo")).toBeDefined();
    expect(screen.queryByTestId("effort-menu")).toBeNull();
  });

  it("is a name where there is nothing to choose", async () => {
    serve({ [PATH]: menu(model("demo")) });
    renderInSession(<ModelPicker ofAgent="" />, SHOT);
    expect(await screen.findByText("demo")).toBeDefined();
    expect(screen.queryByTestId("model-menu")).toBeNull();
  });
});
