import { useEffect, useState } from "react";
import { beginSignIn, checkSignIn, type Provider, type ProviderSignIn } from "../api/providers";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { refreshProviders } from "./queries";
import "./providers.css";

const ENDED: Partial<Record<ProviderSignIn["state"], string>> = {
  denied: "The sign-in was declined at the provider. Nothing has changed.",
  expired: "The code has expired. Get a new one.",
};

interface SignInProps {
  provider: Provider;
  /** Why nobody can sign in on this site; empty if people can. */
  problem: string;
  onDone: () => void;
}

/** Signing in at a provider: shows the code to enter there, and waits until it has been entered. */
export function SignIn({ provider, problem, onDone }: SignInProps) {
  const [state, setState] = useState<ProviderSignIn | null>(null);
  const { run, busy, error } = useAction();
  const begin = () => run(async () => setState(await beginSignIn(provider.id)));
  // biome-ignore lint/correctness/useExhaustiveDependencies: `run` is new with each render, which must not end the wait
  useEffect(() => {
    if (state?.state !== "pending") return;
    const timer = setTimeout(
      () =>
        void run(async () => {
          const now = await checkSignIn(provider.id);
          if (now.state === "done") {
            await refreshProviders();
            onDone();
          } else setState(now.state === "pending" ? { ...state } : now);
        }),
      state.interval * 1000,
    );
    return () => clearTimeout(timer);
  }, [state, provider.id, onDone]);
  const isPending = state?.state === "pending";
  return (
    <div className="provider-form stack gap-16">
      {problem && (
        <p className="text-failed" role="alert">
          {problem}
        </p>
      )}
      {!isPending && !problem && (
        <p>
          You get a code, which you enter on the provider's site. The credential that the team gets is
          encrypted at once and used for everybody's model calls with this provider.
        </p>
      )}
      {isPending && (
        <>
          <p>
            Enter this code at{" "}
            <a className="link" href={state.address} target="_blank" rel="noreferrer">
              {state.address}
            </a>
            :
          </p>
          <p className="sign-in-code number" data-testid="sign-in-code">
            {state.user_code}
          </p>
          <p className="muted" role="status">
            Waiting for you to enter the code. This closes by itself.
          </p>
        </>
      )}
      {state && !isPending && (
        <p className="text-failed" role="alert">
          {ENDED[state.state] ?? `${state.message} ${state.hint}`}
        </p>
      )}
      {error !== null && <Problem error={error} />}
      <div className="flow end">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        {!problem && (!isPending || error !== null) && (
          <button type="button" className="button primary" disabled={busy} onClick={() => void begin()}>
            {state ? "Get a new code" : "Get a code"}
          </button>
        )}
      </div>
    </div>
  );
}
