import type { ReactNode } from "react";
import { Mark } from "../workbench/Mark";

interface CardProps {
  title: string;
  intro?: ReactNode;
  children: ReactNode;
}

/** What every page has that one sees before one is signed in. */
export function Card({ title, intro, children }: CardProps) {
  return (
    <main className="sign-in">
      <div className="sign-in-card">
        <Mark size={32} />
        <h1>{title}</h1>
        {intro && <p className="muted">{intro}</p>}
        {children}
      </div>
    </main>
  );
}
