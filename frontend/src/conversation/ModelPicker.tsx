import type { OfferedModel } from "../api/providers";
import { useMe } from "../app/queries";
import { isForAgents, priceText } from "../providers/labels";
import { useModels } from "../providers/queries";
import { useLive } from "../store/SessionContext";
import { ChoiceMenu } from "./ChoiceMenu";
import { EffortPicker } from "./EffortPicker";
import "./Prompt.css";

interface ModelPickerProps {
  /** The agent's own model, used unless a person chose one for the session. */
  ofAgent: string;
  /** The agent's own reasoning effort. */
  effortOfAgent?: string;
}

/** Chooses the model that answers from the next step on, and how long it thinks. Opens above the prompt. */
export function ModelPicker({ ofAgent, effortOfAgent = "" }: ModelPickerProps) {
  const session = useLive((state) => state.session);
  const menu = useModels(session?.project_id ?? "").data;
  const site = useMe().data?.site.model ?? "";
  if (!session) return null;
  const usual = ofAgent || menu?.default || site;
  const current = session.model || usual;
  const offered = menu?.items.filter(isForAgents) ?? [];
  const taken = menu?.items.find(({ id }) => id === current)?.efforts ?? [];
  const effort = <EffortPicker taken={taken} ofAgent={effortOfAgent} />;
  if (session.parent_id || offered.length < 2)
    return (
      <>
        <span className="model-name ellipsis small text-faint">{current}</span>
        {effort}
      </>
    );
  return (
    <>
      <ChoiceMenu
        what="Model"
        current={current}
        sessionId={session.id}
        testId="model-menu"
        buttonClass="model-name ellipsis small text-faint"
        choices={[
          {
            label: `Default (${usual})`,
            hint: "Set by the agent or the project",
            isChosen: !session.model,
            change: { model: "" },
          },
          ...offered.map((model) => ({
            label: model.id,
            hint: hintOf(model),
            isChosen: session.model === model.id,
            change: { model: model.id },
          })),
        ]}
      />
      {effort}
    </>
  );
}

const hintOf = (model: OfferedModel): string =>
  [
    model.provider_name,
    `price ${priceText(model)}`,
    model.provider_state === "failing" ? "last call failed" : "",
  ]
    .filter(Boolean)
    .join(", ");
