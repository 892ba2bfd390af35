import type { ReactNode } from "react";
import "./ToolDetail.css";

/** The frame of what opens below a row of the conversation. */
export function ToolDetail({ className = "", children }: { className?: string; children: ReactNode }) {
  return <div className={`tool-detail boxed ${className}`}>{children}</div>;
}
