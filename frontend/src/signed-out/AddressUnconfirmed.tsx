import { Card } from "./Card";

interface AddressUnconfirmedProps {
  email: string;
  onBack: () => void;
}

export function AddressUnconfirmed({ email, onBack }: AddressUnconfirmedProps) {
  return (
    <Card
      title="Confirm your address"
      intro={
        <>
          A letter is on its way to <strong>{email}</strong>. Open the link in it, best in this browser, and
          you are signed in.
        </>
      }
    >
      <p className="muted">
        Nothing came? Look among unwanted mail. Signing in again sends another letter, at most every three
        minutes.
      </p>
      <button type="button" className="button wide" onClick={onBack}>
        Back to sign in
      </button>
    </Card>
  );
}
