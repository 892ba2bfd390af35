// The type shared by the agent form and its fields.
import type { Field, FieldState } from "./fields";

/** Reads and changes single fields of the draft. */
export interface AgentEditing {
  state: (field: Field) => FieldState;
  change: (field: Field, value: unknown) => void;
}
