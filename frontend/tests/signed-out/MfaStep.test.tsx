import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, it, vi } from "vitest";
import { MfaStep } from "../../src/signed-out/MfaStep";
import { renderApart, serve } from "../support/render";

afterEach(() => vi.unstubAllGlobals());

it("forgets what was wrong with a code when a recovery code is asked instead", async () => {
  serve({
    "POST /_allauth/browser/v1/auth/2fa/authenticate": {
      status: 400,
      body: {
        status: 400,
        errors: [{ message: "This code is not right.", code: "incorrect_code", param: "code" }],
      },
    },
  });
  renderApart(<MfaStep factors={["totp"]} onDone={async () => {}} onBack={() => {}} />);
  await userEvent.type(screen.getByLabelText("Code"), "000000");
  await userEvent.click(screen.getByRole("button", { name: "Continue" }));
  expect(await screen.findByRole("alert")).toBeDefined();
  await userEvent.click(screen.getByRole("button", { name: "Use a recovery code" }));
  expect(screen.queryByRole("alert")).toBeNull();
});
