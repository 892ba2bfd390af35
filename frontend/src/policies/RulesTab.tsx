import { useState } from "react";
import type { Policy } from "../api/policyTypes";
import type { PlaceKind } from "./document";
import type { PolicyEditing } from "./draft";
import { PresetPicker } from "./PresetPicker";
import { RuleTable } from "./RuleTable";
import { TextView } from "./TextView";
import "./rules.css";

interface RulesTabProps {
  policy: Policy;
  editing: PolicyEditing;
  kind: PlaceKind;
}

const LOWER_LEVELS: Record<PlaceKind, string> = {
  site: "teams, projects, agents and “always” answers",
  team: "projects, agents, project files and “always” answers",
  project: "agents, project files and “always” answers",
};

/** The preset of a policy and its own rules, as a table or as text. */
export function RulesTab({ policy, editing, kind }: RulesTabProps) {
  const [asText, setAsText] = useState(false);
  const { document, change } = editing;
  const readOnly = !policy.can_edit;
  return (
    <>
      <PresetPicker policy={policy} editing={editing} />
      <div className="view-switch line between gap-16">
        <p className="muted">The last rule that matches a call decides.</p>
        <fieldset className="segments">
          <legend className="sr-only">Show the rules as</legend>
          {[false, true].map((text) => (
            <label key={String(text)}>
              <input type="radio" name="view" checked={asText === text} onChange={() => setAsText(text)} />
              {text ? "Text" : "Table"}
            </label>
          ))}
        </fieldset>
      </div>
      {asText ? (
        <TextView document={document} onChange={change} readOnly={readOnly} />
      ) : (
        <>
          <RuleTable
            list="rules"
            title="Rules"
            hint="Apply unless a lower level overrides them."
            rules={document.rules}
            onChange={(rules) => change({ rules })}
            readOnly={readOnly}
          />
          <RuleTable
            list="enforced"
            title="Limits"
            hint={`Enforced: ${LOWER_LEVELS[kind]} cannot loosen these.`}
            rules={document.enforced}
            onChange={(enforced) => change({ enforced })}
            readOnly={readOnly}
          />
        </>
      )}
    </>
  );
}
