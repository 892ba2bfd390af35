import type { ReactNode } from "react";
import { useTabTitle } from "../app/live";
import { Logo } from "../ui/Logo";
import "./signed-out.css";

interface CardProps {
  title: string;
  intro?: ReactNode;
  children: ReactNode;
}

export const SIGN_IN = "Sign in to agentsite";

/** The frame of all pages for people who are not signed in. */
export function Card({ title, intro, children }: CardProps) {
  useTabTitle(title === SIGN_IN ? "Sign in" : title, 0);
  return (
    <main className="sign-in">
      <div className="sign-in-card stack gap-16">
        <Logo size={32} />
        <h1>{title}</h1>
        {intro && <p className="muted">{intro}</p>}
        {children}
      </div>
    </main>
  );
}
