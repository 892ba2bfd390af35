import type { ReactNode } from "react";

interface SectionProps {
  title: string;
  about?: ReactNode;
  children: ReactNode;
}

export function Section({ title, about, children }: SectionProps) {
  return (
    <section className="settings-section stack items-start ruled-top" aria-label={title}>
      <h2>{title}</h2>
      {about && <p className="muted">{about}</p>}
      {children}
    </section>
  );
}
