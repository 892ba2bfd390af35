import type { Policy, Preset, PresetView } from "../api/policyTypes";
import { plural } from "../lib/format";
import { Problem, Skeleton } from "../ui/Notice";
import type { PolicyEditing } from "./draft";
import { usePresets } from "./queries";
import { ruleLine } from "./text";

const SOURCE_LABELS = { site: "set by the site", team: "set by the team", default: "the default" } as const;

/** Chooses the preset that a policy starts from. Without a choice it is inherited. */
export function PresetPicker({ policy, editing }: { policy: Policy; editing: PolicyEditing }) {
  const presets = usePresets();
  const { preset } = editing.document;
  const choose = (next: Preset) => editing.change({ preset: next });
  if (presets.error) return <Problem error={presets.error} />;
  if (!presets.data) return <Skeleton rows={3} label="Loading the presets" />;
  const { preset: inherited, preset_from: from } = policy.inherited;
  const shown = presets.data.items.find((item) => item.name === (preset || inherited));
  return (
    <fieldset className="presets" disabled={!policy.can_edit}>
      <legend>Preset</legend>
      <div className="preset-cards">
        <PresetCard
          name=""
          label={policy.place === "site" ? "Built in" : "Inherited"}
          description={`Currently ${inherited}, ${SOURCE_LABELS[from]}.`}
          chosen={preset === ""}
          onChoose={choose}
        />
        {presets.data.items.map((item) => (
          <PresetCard
            key={item.name}
            name={item.name as Preset}
            label={capitalized(item.name)}
            description={item.description}
            chosen={preset === item.name}
            onChoose={choose}
          />
        ))}
      </div>
      {shown && <PresetRules preset={shown} />}
    </fieldset>
  );
}

const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

interface PresetCardProps {
  name: Preset;
  label: string;
  description: string;
  chosen: boolean;
  onChoose: (name: Preset) => void;
}

function PresetCard({ name, label, description, chosen, onChoose }: PresetCardProps) {
  return (
    <label className="option preset-card">
      <input type="radio" name="preset" checked={chosen} onChange={() => onChoose(name)} />
      <span>
        <span className="option-label">{label}</span>
        <span className="muted">{description}</span>
      </span>
    </label>
  );
}

function PresetRules({ preset }: { preset: PresetView }) {
  return (
    <details className="preset-rules">
      <summary>
        {plural(preset.rules.length, "rule")} of {preset.name}
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it only when it can take the focus */}
      <pre tabIndex={0}>{preset.rules.map((rule) => ruleLine(rule, false)).join("\n")}</pre>
    </details>
  );
}
