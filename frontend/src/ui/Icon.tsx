import type { ReactNode } from "react";

const PATHS = {
  agent: (
    <>
      <circle cx="4.5" cy="3.8" r="1.6" />
      <circle cx="11.5" cy="11.7" r="1.6" />
      <path d="M4.5 5.4v3.8a2.5 2.5 0 0 0 2.5 2.5h2.9" />
    </>
  ),
  back: <path d="m9.5 4-4 4 4 4" />,
  book: (
    <path d="M8 4.5C6.8 3.6 5.2 3.3 3 3.3v8.9c2.2 0 3.8.3 5 1.3 1.2-1 2.8-1.3 5-1.3V3.3c-2.2 0-3.8.3-5 1.2Zm0 0v9" />
  ),
  box: <path d="M8 2.5 13 5v6l-5 2.5L3 11V5zM3.2 5.1 8 7.5l4.8-2.4M8 7.5v6" />,
  check: <path d="m4 8.5 2.5 2.5L12 5.5" />,
  chevron: <path d="m6 4 4 4-4 4" />,
  clip: (
    <path d="m12.7 7.6-4.9 4.9a2.9 2.9 0 0 1-4.1-4.1L9 3.1a1.9 1.9 0 0 1 2.7 2.7L6.5 11a1 1 0 0 1-1.4-1.4L9.8 5" />
  ),
  close: <path d="m4 4 8 8m0-8-8 8" />,
  code: <path d="M5.5 4.5 2 8l3.5 3.5m5-7L14 8l-3.5 3.5" />,
  copy: (
    <>
      <rect x="5.5" y="5.5" width="7" height="7" rx="1.5" />
      <path d="M3.5 10.5V5A1.5 1.5 0 0 1 5 3.5h5.5" />
    </>
  ),
  dots: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth="2" />,
  down: <path d="M8 3v10m0 0 4-4m-4 4L4 9" />,
  edit: <path d="M9.5 4 12 6.5 6 12.5H3.5V10zM8.5 12.5h4" />,
  explore: (
    <>
      <circle cx="7" cy="7" r="3.5" />
      <path d="m9.7 9.7 3 3" />
    </>
  ),
  file: <path d="M9 2.5H4.5v11h7V5zM9 2.5V5h2.5" />,
  gauge: <path d="M3.3 12a5.5 5.5 0 1 1 9.4 0M8 9l2.5-3" />,
  globe: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M2.5 8h11M8 2.5c2 1.7 2.7 3.5 2.7 5.5S10 11.8 8 13.5C6 11.8 5.3 10 5.3 8S6 4.2 8 2.5Z" />
    </>
  ),
  image: (
    <>
      <rect x="2.5" y="3" width="11" height="10" rx="1.5" />
      <path d="m2.8 11.2 3-3 2.4 2.3 2-2 3 3M10 6h.01" />
    </>
  ),
  inbox: <path d="M2.5 8.5 4.5 3h7l2 5.5V13h-11zm0 0h3.3c0 1.2.9 2 2.2 2s2.2-.8 2.2-2h3.3" />,
  info: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 7.5v3M8 5.4h.01" />
    </>
  ),
  list: <path d="M6 4.5h7M6 8h7m-7 3.5h7M3 4.5h.01M3 8h.01m-.01 3.5h.01" />,
  lock: (
    <>
      <rect x="3.5" y="7" width="9" height="6.5" rx="1.5" />
      <path d="M5.5 7V5a2.5 2.5 0 0 1 5 0v2" />
    </>
  ),
  menu: <path d="M2.5 4.5h11M2.5 8h11m-11 3.5h11" />,
  moon: <path d="M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5Z" />,
  out: <path d="M6.5 3.5h-3v9h9v-3M9.5 3.5h3v3m0-3L7.5 8.5" />,
  panel: (
    <>
      <rect x="2" y="3" width="12" height="10" rx="1.5" />
      <path d="M10 3v10" />
    </>
  ),
  pin: <path d="M6 2.5h4l-.5 4.5 2 2v1h-7v-1l2-2zM8 10v4" />,
  play: <path d="m5.5 4 6.5 4-6.5 4z" fill="currentColor" />,
  plus: <path d="M8 3.5v9M3.5 8h9" />,
  question: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M6.5 6.5a1.5 1.5 0 1 1 2.2 1.4c-.5.2-.7.5-.7 1M8 10.8h.01" />
    </>
  ),
  redo: <path d="M12.5 5.5h-6a3.5 3.5 0 0 0 0 7H10m2.5-7L10 3m2.5 2.5L10 8" />,
  retry: <path d="M12.5 8A4.5 4.5 0 1 1 11 4.6L12.5 6m0-3v3h-3" />,
  send: <path d="M8 13V3m0 0L4 7m4-4 4 4" />,
  grip: <path d="M6 4h.01M6 8h.01M6 12h.01M10 4h.01M10 8h.01M10 12h.01" strokeWidth="2" />,
  shield: <path d="M8 2.5 3.5 4v4c0 2.5 1.8 4.6 4.5 5.5 2.7-.9 4.5-3 4.5-5.5V4z" />,
  stack: <path d="m8 2.5 5.5 3-5.5 3-5.5-3zM2.5 8 8 11l5.5-3m-11 2.5 5.5 3 5.5-3" />,
  stop: <rect x="4.5" y="4.5" width="7" height="7" rx="1" fill="currentColor" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.5" />
      <path d="M8 2v1.5m0 9V14m6-6h-1.5m-9 0H2m10.2-4.2-1 1m-6.4 6.4-1 1m8.4 0-1-1M4.8 4.8l-1-1" />
    </>
  ),
  terminal: <path d="m3 5 3 3-3 3m5 .5h5" />,
  thought: <path d="M8 3a3.5 3.5 0 0 1 2 6.4V11H6V9.4A3.5 3.5 0 0 1 8 3M6.5 13h3" />,
  todo: <path d="m2.8 4.7 1.3 1.3 2.2-2.6M9 4.7h4.2M2.8 11l1.3 1.3 2.2-2.6M9 11h4.2" />,
  tool: <path d="M10 3.2a3 3 0 0 0-3.4 4L3 10.8 5.2 13l3.6-3.6a3 3 0 0 0 4-3.4L11 7.8 8.2 5z" />,
  trash: <path d="M3.5 4.5h9M6.5 4.5v-2h3v2M4.7 4.5l.6 9h5.4l.6-9M7 7v4m2-4v4" />,
  undo: <path d="M3.5 5.5h6a3.5 3.5 0 0 1 0 7H6m-2.5-7L6 3M3.5 5.5 6 8" />,
  up: <path d="M8 13V3m0 0L4 7m4-4 4 4" />,
  user: (
    <>
      <circle cx="8" cy="5.5" r="2.5" />
      <path d="M3.5 13a4.5 4.5 0 0 1 9 0" />
    </>
  ),
  warning: <path d="M8 3 2.5 12.5h11zM8 7v2.5m0 1.5h.01" />,
  wait: (
    <>
      <circle cx="8" cy="8" r="5.5" />
      <path d="M8 5v3l2 1.5" />
    </>
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof PATHS;

/** A decorative icon. Adjacent text or the control's label must carry the meaning. */
export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg
      className="icon"
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.4"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      {PATHS[name]}
    </svg>
  );
}
