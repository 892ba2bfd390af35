import { ShownOnce } from "../ui/ShownOnce";

interface SecretOnceProps {
  /** What it is: "token", "signing secret". */
  what: string;
  secret: string;
  onClose: () => void;
}

export function SecretOnce({ what, secret, onClose }: SecretOnceProps) {
  return (
    <ShownOnce label={`The new ${what}`} value={secret} testId="secret-once" onClose={onClose}>
      <strong>Keep the {what} now.</strong> It is not shown again.
    </ShownOnce>
  );
}
