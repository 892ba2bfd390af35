import { Route, Switch } from "wouter";
import { InvitationPage } from "./InvitationPage";
import { ForgotPassword, ResetPassword } from "./Passwords";
import { SignIn } from "./SignIn";
import { SignUp } from "./SignUp";
import { VerifyEmail } from "./VerifyEmail";

/** Pages for people who are not signed in. Other URLs show the sign-in form and are kept for afterwards. */
export function SignedOut({ expired }: { expired: boolean }) {
  return (
    <Switch>
      <Route path="/sign-up">
        <SignUp />
      </Route>
      <Route path="/forgot-password">
        <ForgotPassword />
      </Route>
      {EMAIL_LINK_ROUTES}
      <Route>
        <SignIn expired={expired} />
      </Route>
    </Switch>
  );
}

/** Routes of links in e-mails, whether or not somebody is signed in. */
export const EMAIL_LINK_ROUTES = [
  <Route key="reset" path="/reset-password/:key">
    {({ key }) => <ResetPassword mailed={decodeURIComponent(key)} />}
  </Route>,
  <Route key="verify" path="/verify-email/:key">
    {({ key }) => <VerifyEmail mailed={decodeURIComponent(key)} />}
  </Route>,
  <Route key="invitation" path="/invitations/:secret">
    {({ secret }) => <InvitationPage key={secret} secret={secret} />}
  </Route>,
];
