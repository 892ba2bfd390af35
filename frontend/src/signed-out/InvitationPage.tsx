import { useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";
import { signOut } from "../api/auth";
import { acceptInvitation, openInvitation } from "../api/teams";
import { clearCachedData, queryClient, useMe } from "../app/queries";
import { ROLE_LABELS } from "../team/roles";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { Card } from "./Card";
import { SignIn } from "./SignIn";
import { SignUpCard } from "./SignUp";

/** The page of an invitation link: create an account, sign in, or join with the current account. */
export function InvitationPage({ secret }: { secret: string }) {
  const me = useMe().data;
  const signingIn = useSearch() === "sign-in";
  const invitation = useQuery({
    queryKey: ["invitation", secret],
    queryFn: () => openInvitation(secret),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (invitation.error) {
    return (
      <Card title="This invitation is not valid">
        <Problem error={invitation.error} />
        <Link href="/" className="button wide">
          {me ? "Back to home" : "Go to sign in"}
        </Link>
      </Card>
    );
  }
  if (!invitation.data) {
    return (
      <Card title="Invitation">
        <Skeleton rows={4} label="Loading the invitation" />
      </Card>
    );
  }
  const { team_name, email, role, invited_by } = invitation.data;
  const intro = `${invited_by || "Somebody"} invites you to ${team_name}, as ${ROLE_LABELS[role].toLowerCase()}.`;
  if (me) return <Join secret={secret} intro={intro} email={email} me={me.user.email} />;
  if (signingIn) return <SignIn expired={false} />;
  return <SignUpCard title={`Join ${team_name}`} intro={intro} invitation={{ secret, email }} />;
}

interface JoinProps {
  secret: string;
  intro: string;
  email: string;
  me: string;
}

function Join({ secret, intro, email, me }: JoinProps) {
  const [, go] = useLocation();
  const { run, busy, error } = useAction();
  const mine = email === me;
  const join = () =>
    run(async () => {
      await acceptInvitation(secret);
      await queryClient.invalidateQueries();
      go("/");
    });
  const leave = () =>
    run(async () => {
      await signOut();
      clearCachedData();
    });
  return (
    <Card title="Invitation" intro={intro}>
      {!mine && (
        <p>
          This invitation is for <strong>{email}</strong>, but you are signed in as <strong>{me}</strong>.
        </p>
      )}
      {error !== null && <Problem error={error} />}
      <button
        type="button"
        className="button primary wide"
        disabled={busy}
        onClick={() => void (mine ? join() : leave())}
      >
        {mine ? "Join the team" : "Sign out"}
      </button>
    </Card>
  );
}
