import { AgentDot, NAMED_COLORS } from "./AgentDot";
import type { AgentEditing } from "./editing";
import { inheritedFrom } from "./fields";
import "./agents.css";

const CHOICES = ["", ...NAMED_COLORS];

/** Chooses a named colour, which follows the theme, or any other colour. */
export function ColorField({ editing, readOnly }: { editing: AgentEditing; readOnly: boolean }) {
  const { value, isOwn, from } = editing.state("color");
  const color = typeof value === "string" ? value : "";
  return (
    <fieldset className="agent-field stack gap-4 color-field" disabled={readOnly}>
      <legend>Colour</legend>
      <div className="flow gap-16 gap-y-4">
        {CHOICES.map((name) => (
          <label key={name} className="color-choice inline">
            <input
              type="radio"
              name="color"
              checked={color === name}
              onChange={() => editing.change("color", name || null)}
            />
            <AgentDot agent={{ color: name }} />
            {name || "None"}
          </label>
        ))}
        <label className="color-choice inline">
          <input
            type="color"
            value={color.startsWith("#") ? color : "#7ab0ff"}
            onChange={(event) => editing.change("color", event.target.value)}
          />{" "}
          Custom{" "}
        </label>
      </div>
      <p className="field-hint small muted">{isOwn ? "Set here." : inheritedFrom(from)}</p>
    </fieldset>
  );
}
