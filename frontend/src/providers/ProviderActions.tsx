import { type FormEvent, useCallback, useEffect, useState } from "react";
import {
  type Provider,
  type ProviderReport,
  removeProvider,
  replaceKey,
  testProvider,
} from "../api/providers";
import { ConfirmDialog, Losses } from "../ui/ConfirmDialog";
import { Dialog } from "../ui/Dialog";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import { CHECK_LABELS, fieldLabel } from "./labels";
import { refreshProviders } from "./queries";
import { SignIn } from "./SignInDialog";
import "./providers.css";

type Open = "key" | "sign-in" | "remove" | null;

interface ProviderActionsProps {
  provider: Provider;
  /** Whether it was saved a moment ago, so that it is tested at once. */
  isSaved: boolean;
  /** Whether people can sign in with a code in place of a key. */
  signsIn: boolean;
  /** Why they cannot, on this site; empty if they can. */
  signInProblem: string;
  onEdit: () => void;
  /** Null if the provider does not list its models. */
  onFind: (() => void) | null;
}

export function ProviderActions({
  provider,
  isSaved,
  signsIn,
  signInProblem,
  onEdit,
  onFind,
}: ProviderActionsProps) {
  const [open, setOpen] = useState<Open>(null);
  const [tested, setTested] = useState<{ version: number; report: ProviderReport } | null>(null);
  const { run, busy, error } = useAction();
  const close = useCallback(() => setOpen(null), []);
  const test = () =>
    run(async () => {
      setTested(null);
      setTested({ version: provider.version, report: await testProvider(provider.id) });
      await refreshProviders();
    });
  // biome-ignore lint/correctness/useExhaustiveDependencies: one test for each saved version
  useEffect(() => {
    if (isSaved && provider.enabled) void test();
  }, [isSaved, provider.version]);
  const remove = async () => {
    await removeProvider(provider.id);
    await refreshProviders();
  };
  return (
    <>
      <span className="flow">
        <button type="button" className="button" disabled={busy} onClick={() => void test()}>
          {busy ? "Testing" : "Test"}
        </button>
        {onFind && (
          <button type="button" className="button" onClick={onFind}>
            Find models
          </button>
        )}
        {signsIn && (
          <button type="button" className="button" onClick={() => setOpen("sign-in")}>
            {provider.key ? "Sign in again" : "Sign in"}
          </button>
        )}
        <button type="button" className="button" onClick={() => setOpen("key")}>
          {provider.key ? "Replace key" : "Set key"}
        </button>
        <button type="button" className="button" onClick={onEdit}>
          Change
        </button>
        <button type="button" className="button danger" onClick={() => setOpen("remove")}>
          Remove
        </button>
      </span>
      {error !== null && <FieldsProblem error={error} fieldLabel={fieldLabel} />}
      <div role="status" className="provider-report">
        {tested?.version === provider.version && <TestReport report={tested.report} />}
      </div>
      <Dialog open={open === "key"} onClose={() => setOpen(null)} title={`Key of ${provider.name}`}>
        <KeyForm provider={provider} onDone={() => setOpen(null)} />
      </Dialog>
      <Dialog open={open === "sign-in"} onClose={close} title={`Sign in at ${provider.name}`}>
        <SignIn provider={provider} problem={signInProblem} onDone={close} />
      </Dialog>
      <ConfirmDialog
        open={open === "remove"}
        title={`Remove ${provider.name}?`}
        verb="Remove provider"
        onConfirm={remove}
        onClose={() => setOpen(null)}
      >
        <Losses
          lost="The key, and the names and prices of its models."
          kept="Sessions and their costs. Sessions that use one of its models need another model to continue."
        />
      </ConfirmDialog>
    </>
  );
}

function TestReport({ report }: { report: ProviderReport }) {
  return (
    <ul className="note stack gap-4" aria-label="Result of the test">
      {report.checks.map((check) => (
        <li key={check.name} className={`flex align-baseline break-anywhere ${check.ok ? "" : "is-failing"}`}>
          <Icon name={check.ok ? "check" : "warning"} size={14} />
          <span>
            <strong>{CHECK_LABELS[check.name]}:</strong> {check.message}
            {check.hint && <span className="muted"> {check.hint}</span>}
          </span>
        </li>
      ))}
      {report.ok && report.checks.length === 1 && report.checks[0]?.name === "models" && (
        <li className="flex align-baseline break-anywhere muted">
          Add a model to also test an answer: Find models.
        </li>
      )}
    </ul>
  );
}

function KeyForm({ provider, onDone }: { provider: Provider; onDone: () => void }) {
  const [key, setKey] = useState("");
  const { run, busy, error } = useAction();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const saved = await run(async () => {
      await replaceKey(provider.id, key);
      await refreshProviders();
    });
    if (saved) onDone();
  };
  return (
    <form className="provider-form stack gap-16" onSubmit={(event) => void submit(event)}>
      <TextField
        label="New key"
        type="password"
        autoComplete="off"
        required
        maxLength={8000}
        value={key}
        onText={setKey}
      />
      <p className="muted">It is used from the next model call on and replaces the old key.</p>
      {error !== null && <FieldsProblem error={error} fieldLabel={fieldLabel} />}
      <div className="flow end">
        <button type="button" className="button" onClick={onDone}>
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={busy || !key.trim()}>
          Save key
        </button>
      </div>
    </form>
  );
}
