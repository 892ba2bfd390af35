import {
  createContext,
  type FormEvent,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useRef,
  useState,
} from "react";
import {
  ConfirmationNeeded,
  canUsePasskeys,
  confirmByCode,
  confirmByPasskey,
  confirmByPassword,
} from "../api/auth";
import { ApiError } from "../api/http";
import { Dialog } from "../ui/Dialog";
import { Problem } from "../ui/Notice";
import { TextField } from "../ui/TextField";
import { useAction } from "../ui/useAction";
import "./account.css";

type Confirming = <Result>(action: () => Promise<Result>) => Promise<Result>;

const Context = createContext<Confirming>((action) => action());

/**
 * Runs an action. If the server wants the person to confirm who they are, asks for that and runs the action
 * again.
 */
export const useConfirming = (): Confirming => useContext(Context);

interface PendingConfirmation {
  needed: ConfirmationNeeded;
  settle: (confirmed: boolean) => void;
}

const cancelledError = () =>
  new ApiError(401, "not_confirmed", "Nothing was changed.", "Confirm that it is you, then try again.");

/** One dialog for the whole page, in which the person confirms who they are before an account is changed. */
export function ConfirmationProvider({ children }: { children: ReactNode }) {
  const [waiting, setWaiting] = useState<PendingConfirmation | null>(null);
  const current = useRef(setWaiting);
  const confirming = useCallback<Confirming>(async (action) => {
    try {
      return await action();
    } catch (problem) {
      if (!(problem instanceof ConfirmationNeeded)) throw problem;
      const confirmed = await new Promise<boolean>((settle) => current.current({ needed: problem, settle }));
      current.current(null);
      if (!confirmed) throw cancelledError();
      return action();
    }
  }, []);
  const close = () => waiting?.settle(false);
  return (
    <Context.Provider value={useMemo(() => confirming, [confirming])}>
      {children}
      <Dialog open={!!waiting} onClose={close} title="Confirm that it is you">
        {waiting && (
          <ConfirmationForm needed={waiting.needed} onDone={() => waiting.settle(true)} onCancel={close} />
        )}
      </Dialog>
    </Context.Provider>
  );
}

interface ConfirmationFormProps {
  needed: ConfirmationNeeded;
  onDone: () => void;
  onCancel: () => void;
}

function ConfirmationForm({ needed, onDone, onCancel }: ConfirmationFormProps) {
  const byCode = !needed.password;
  const [text, setText] = useState("");
  const { run, busy, error } = useAction();
  const by = (confirm: () => Promise<unknown>) =>
    run(async () => {
      await confirm();
      onDone();
    });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void by(() => (byCode ? confirmByCode(text) : confirmByPassword(text)));
  };
  return (
    <form
      className="confirm stack account-confirm gap-12"
      onSubmit={submit}
      aria-label="Confirm that it is you"
    >
      <p className="muted">
        This changes how you sign in to your account. The confirmation is valid for five minutes.
      </p>
      <TextField
        label={byCode ? "Code from your authenticator app, or a recovery code" : "Your password"}
        type={byCode ? "text" : "password"}
        autoComplete={byCode ? "one-time-code" : "current-password"}
        autoFocus
        required
        value={text}
        onText={setText}
      />
      {error !== null && <Problem error={error} />}
      <div className="flow end">
        <button type="button" className="button" onClick={onCancel}>
          Cancel
        </button>
        {needed.factors.includes("webauthn") && canUsePasskeys() && (
          <button type="button" className="button" disabled={busy} onClick={() => void by(confirmByPasskey)}>
            Use a passkey
          </button>
        )}
        <button type="submit" className="button primary" disabled={busy}>
          Confirm
        </button>
      </div>
    </form>
  );
}
