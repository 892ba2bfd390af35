import { QueryClientProvider } from "@tanstack/react-query";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { queryClient } from "../../src/app/queries";
import { SignIn } from "../../src/signed-out/SignIn";
import { serve } from "../support/render";

const LOGIN = "POST /_allauth/browser/v1/auth/login";
const SITE = { body: { demo_login: { email: "demo@example.org", password: "secret" }, demo_model: true } };

const show = (expired = false) =>
  render(
    <QueryClientProvider client={queryClient}>
      <SignIn expired={expired} />
    </QueryClientProvider>,
  );

async function enter(email: string, password: string) {
  await userEvent.type(screen.getByLabelText("E-mail"), email);
  await userEvent.type(screen.getByLabelText("Password"), password);
  await userEvent.click(screen.getByRole("button", { name: "Sign in" }));
}

beforeEach(() => queryClient.clear());
afterEach(() => vi.unstubAllGlobals());

describe("signing in", () => {
  it("has a title of its own, as every page before it", () => {
    serve({});
    show();
    expect(document.title).toBe("Sign in · agentsite");
  });

  it("says clearly when the password is wrong", async () => {
    serve({
      [LOGIN]: {
        status: 400,
        body: {
          errors: [
            {
              code: "email_password_mismatch",
              message: "The e-mail address and the password do not belong together.",
              param: "password",
            },
          ],
        },
      },
    });
    show();
    await enter("a@example.org", "wrong");
    expect((await screen.findByRole("alert")).textContent).toContain("do not belong together");
  });

  it("says when too many tries were made", async () => {
    serve({ [LOGIN]: { status: 429 } });
    show();
    await enter("a@example.org", "wrong");
    expect((await screen.findByRole("alert")).textContent).toContain("Wait a few minutes");
  });

  it("gets the CSRF cookie first and sends it", async () => {
    const asked = serve({ [LOGIN]: { status: 200, body: {} } });
    // biome-ignore lint/suspicious/noDocumentCookie: the server sets it in the browser
    document.cookie = "csrftoken=abc123";
    show();
    await enter("a@example.org", "right");
    const calls = asked.filter((item) => item.path.startsWith("/_allauth"));
    const paths = calls.map((item) => item.path);
    const login = paths.indexOf("/_allauth/browser/v1/auth/login");
    expect(paths.slice(0, login)).toContain("/_allauth/browser/v1/config");
    expect(calls[login]).toMatchObject({
      csrf: "abc123",
      body: { email: "a@example.org", password: "right" },
    });
  });

  it("fills in the demo login on a demo site", async () => {
    serve({ "GET /api/v1/site": SITE });
    show();
    await userEvent.click(await screen.findByRole("button", { name: "Use the demo login" }));
    expect(screen.getByLabelText<HTMLInputElement>("E-mail").value).toBe("demo@example.org");
  });

  it("offers no demo login elsewhere", async () => {
    const asked = serve({ "GET /api/v1/site": { body: { demo_login: null, demo_model: false } } });
    show();
    await vi.waitFor(() => expect(asked.some((item) => item.path === "/api/v1/site")).toBe(true));
    expect(screen.queryByText(/demo/)).toBeNull();
  });

  it("says that a session ended", () => {
    serve({});
    show(true);
    expect(screen.getByText(/Your session expired/)).toBeDefined();
  });
});
