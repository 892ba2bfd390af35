import { Card } from "./Card";

interface AddressUnconfirmedProps {
  email: string;
  onBack: () => void;
}

export function AddressUnconfirmed({ email, onBack }: AddressUnconfirmedProps) {
  return (
    <Card
      title="Confirm your e-mail address"
      intro={
        <>
          We sent an e-mail to <strong>{email}</strong>. Open the link in it, preferably in this browser, to
          sign in.
        </>
      }
    >
      <p className="muted">
        No e-mail? Check your spam folder. Signing in again sends another e-mail, at most every three minutes.
      </p>
      <button type="button" className="button wide" onClick={onBack}>
        Back to sign in
      </button>
    </Card>
  );
}
