import type { Policy, Preset } from "../api/policyTypes";
import { plural } from "../lib/format";
import { Problem, Skeleton } from "../ui/Notice";
import { ContainedNote } from "./ContainedNote";
import type { PolicyEditing } from "./draft";
import { usePresets } from "./queries";
import { RuleSummary } from "./RuleSummary";
import "./rules.css";

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
      <legend className="semibold">Preset</legend>
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
      {shown?.name === "contained" && <ContainedNote />}
      {shown && (
        <RuleSummary title={`${plural(shown.rules.length, "rule")} of ${shown.name}`} rules={shown.rules} />
      )}
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
    <label className="option flex gap-10 align-start">
      <input type="radio" name="preset" checked={chosen} onChange={() => onChoose(name)} />
      <span className="stack gap-0">
        <span className="medium">{label}</span>
        <span className="muted">{description}</span>
      </span>
    </label>
  );
}
