import { effortLabel } from "../agents/efforts";
import { useLive } from "../store/SessionContext";
import { ChoiceMenu } from "./ChoiceMenu";
import "./Prompt.css";

interface EffortPickerProps {
  /** The efforts that the present model takes, from the least. */
  taken: readonly string[];
  /** The agent's own effort, used unless a person chose one for the session. */
  ofAgent: string;
}

/** Chooses how long the model thinks before it answers. Not shown for models that take no effort. */
export function EffortPicker({ taken, ofAgent }: EffortPickerProps) {
  const session = useLive((state) => state.session);
  if (!session || session.parent_id || taken.length === 0) return null;
  const chosen = taken.includes(session.effort ?? "") ? session.effort : "";
  return (
    <ChoiceMenu
      what="Reasoning effort"
      current={chosen ? `${effortLabel(chosen)} effort` : "Effort"}
      sessionId={session.id}
      testId="effort-menu"
      buttonClass="effort-name model-name small text-faint"
      choices={[
        {
          label: ofAgent ? `Default (${effortLabel(ofAgent)})` : "Default",
          hint: "Set by the agent or the model",
          isChosen: !chosen,
          change: { effort: "" },
        },
        ...taken.map((effort) => ({
          label: effortLabel(effort),
          isChosen: chosen === effort,
          change: { effort },
        })),
      ]}
    />
  );
}
