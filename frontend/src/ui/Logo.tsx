export function Logo({ size = 20 }: { size?: number }) {
  return (
    <svg className="mark no-shrink" viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <rect className="mark-ground" x="1" y="1" width="22" height="22" rx="6" />
      <path className="mark-prompt" d="M7 8.5 11 12l-4 3.5" />
      <path className="mark-line" d="M13 16h4.5" />
    </svg>
  );
}
