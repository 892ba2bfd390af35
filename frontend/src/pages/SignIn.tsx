import { type FormEvent, useState } from "react";
import { signIn } from "../api/endpoints";
import { keys, queryClient, useSite } from "../app/queries";
import { Problem } from "../ui/Notice";
import { Mark } from "../workbench/Mark";

/** Shown in place of any page while nobody is signed in; the address stays, so signing in comes back to it. */
export function SignIn({ expired }: { expired: boolean }) {
  const site = useSite().data;
  const [email, setEmail] = useState("");
  const [password, setPassword] = useState("");
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setError(null);
    try {
      await signIn(email.trim(), password);
      await queryClient.invalidateQueries();
    } catch (problem) {
      setError(problem);
    } finally {
      setBusy(false);
      void queryClient.invalidateQueries({ queryKey: keys.me });
    }
  };

  return (
    <main className="sign-in">
      <form className="sign-in-card" onSubmit={submit} aria-labelledby="sign-in-title">
        <Mark size={32} />
        <h1 id="sign-in-title">Sign in to agentsite</h1>
        <p className="muted">
          {expired
            ? "Your session ended. Sign in to come back to this page; unsent prompts are kept."
            : "Agents that work in your team's containers, and ask first."}
        </p>
        <label className="field">
          <span>E-mail</span>
          <input
            type="email"
            autoComplete="username"
            required
            value={email}
            onChange={(event) => setEmail(event.target.value)}
          />
        </label>
        <label className="field">
          <span>Password</span>
          <input
            type="password"
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.target.value)}
          />
        </label>
        {error !== null && <Problem error={error} />}
        <button type="submit" className="button primary wide" disabled={busy}>
          {busy ? "Signing in…" : "Sign in"}
        </button>
        {site?.demo_login && (
          <p className="sign-in-demo">
            This is a demo site.{" "}
            <button
              type="button"
              className="link"
              onClick={() => {
                setEmail(site.demo_login?.email ?? "");
                setPassword(site.demo_login?.password ?? "");
              }}
            >
              Use the demo login
            </button>
          </p>
        )}
      </form>
    </main>
  );
}
