import { encode } from "uqr";
import "./account.css";

/** A QR code, dark on light in both colour schemes so that cameras can read it. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: 2 });
  const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label}>
      <path d={dark.join("")} fill="#000" />
    </svg>
  );
}
