import type { Authenticator } from "../api/auth";
import { Problem, Skeleton } from "../ui/Notice";
import { AppCodes } from "./AppCodes";
import { ConfirmationProvider } from "./Confirmation";
import { LinkedProviders } from "./LinkedProviders";
import { Passkeys } from "./Passkeys";
import { PasswordChange } from "./PasswordChange";
import { useFactors } from "./queries";
import { RecoveryCodes } from "./RecoveryCodes";

/** Sign-in methods: password, MFA and identity providers. */
export function Security() {
  return (
    <ConfirmationProvider>
      <PasswordChange />
      <MfaMethods />
      <LinkedProviders />
    </ConfirmationProvider>
  );
}

function MfaMethods() {
  const factors = useFactors();
  if (factors.error) return <Problem error={factors.error} />;
  if (!factors.data) return <Skeleton rows={6} label="Loading MFA methods" />;
  const of = (type: Authenticator["type"]) => factors.data.filter((factor) => factor.type === type);
  const codes = of("recovery_codes")[0];
  return (
    <>
      <AppCodes on={of("totp").length > 0} />
      <Passkeys passkeys={of("webauthn")} />
      {codes && <RecoveryCodes left={codes.unused_code_count ?? 0} />}
    </>
  );
}
