// Types shared by tool rows and the views below them.
import type { ComponentType, ReactNode } from "react";
import type { ToolCall } from "../api/types";

export interface CallViewProps {
  call: ToolCall;
  /** Renders another call of the session as a row, for calls that contain calls. */
  renderRow: (callId: string) => ReactNode;
}

export type CallView = ComponentType<CallViewProps>;
