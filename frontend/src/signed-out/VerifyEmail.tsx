import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useLocation } from "wouter";
import { confirmAddress, readConfirmation } from "../api/auth";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { Card } from "./Card";
import { takeInvitation } from "./pendingInvitation";
import { completeSignIn } from "./session";

/**
 * Confirms an e-mail address by link. It takes a click on a button, so that mail scanners do not confirm
 * addresses.
 */
export function VerifyEmail({ mailed }: { mailed: string }) {
  const [, go] = useLocation();
  const [done, setDone] = useState(false);
  const { run, busy, error } = useAction();
  const opened = useQuery({
    queryKey: ["confirmation", mailed],
    queryFn: () => readConfirmation(mailed),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const confirm = () =>
    run(async () => {
      if (!(await confirmAddress(mailed))) return setDone(true);
      const invitation = takeInvitation();
      go(invitation ? `/invitations/${invitation}` : "/", { replace: true });
      await completeSignIn();
    });
  if (done) return <Confirmed />;
  const failure = opened.error ?? error;
  return (
    <Card
      title="Confirm your e-mail address"
      intro={opened.data && `This confirms that ${opened.data} is your e-mail address.`}
    >
      {failure !== null && <Problem error={failure} />}
      {!opened.error && (
        <button
          type="button"
          className="button primary wide"
          disabled={busy || !opened.data}
          onClick={() => void confirm()}
        >
          Confirm
        </button>
      )}
      {failure !== null && <BackToStart />}
    </Card>
  );
}

function Confirmed() {
  return (
    <Card title="Your e-mail address is confirmed" intro="Sign in to continue.">
      <BackToStart />
    </Card>
  );
}

function BackToStart() {
  const [, go] = useLocation();
  const follow = () => {
    const invitation = takeInvitation();
    go(invitation ? `/invitations/${invitation}?sign-in` : "/", { replace: true });
  };
  return (
    <button type="button" className="button wide" onClick={follow}>
      Sign in
    </button>
  );
}
