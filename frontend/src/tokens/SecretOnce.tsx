import { OneTimeSecret } from "../ui/OneTimeSecret";

interface SecretOnceProps {
  /** Names the secret: "token", "signing secret". */
  what: string;
  secret: string;
  onClose: () => void;
}

export function SecretOnce({ what, secret, onClose }: SecretOnceProps) {
  return (
    <OneTimeSecret label={`New ${what}`} value={secret} testId="secret-once" onClose={onClose}>
      <strong>Copy the {what} now.</strong> It is not shown again.
    </OneTimeSecret>
  );
}
