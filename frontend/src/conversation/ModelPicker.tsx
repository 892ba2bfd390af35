import type { OfferedModel } from "../api/providers";
import { useMe } from "../app/queries";
import { useModels } from "../providers/queries";
import { priceWords } from "../providers/words";
import { useLive } from "../store/SessionContext";
import { Choice, ChoiceMenu } from "./ChoiceMenu";

interface ModelPickerProps {
  /** What the agent asks for, which counts where nobody chose for the session. */
  ofAgent: string;
}

/** Which model answers from the next step on. Opens above the prompt. */
export function ModelPicker({ ofAgent }: ModelPickerProps) {
  const session = useLive((state) => state.session);
  const menu = useModels(session?.project_id ?? "").data;
  const site = useMe().data?.site.model ?? "";
  if (!session) return null;
  const usual = ofAgent || menu?.default || site;
  const current = session.model || usual;
  const offered = menu?.items.filter((model) => !model.refusal) ?? [];
  if (session.parent_id || offered.length < 2) return <span className="model-name">{current}</span>;
  return (
    <ChoiceMenu
      what="Model"
      current={current}
      sessionId={session.id}
      testId="model-menu"
      buttonClass="model-name"
      listClass="model-list"
    >
      {(choose) => (
        <>
          <Choice
            name={`As usual (${usual})`}
            hint="What the agent or the project says"
            isChosen={!session.model}
            onChoose={() => choose({ model: "" }, !!session.model)}
          />
          {offered.map((model) => (
            <Choice
              key={model.id}
              name={model.id}
              hint={hintOf(model)}
              isChosen={session.model === model.id}
              onChoose={() => choose({ model: model.id }, session.model !== model.id)}
            />
          ))}
        </>
      )}
    </ChoiceMenu>
  );
}

const hintOf = (model: OfferedModel): string =>
  [
    model.provider_name,
    `price ${priceWords(model)}`,
    model.provider_state === "failing" ? "its last call failed" : "",
  ]
    .filter(Boolean)
    .join(", ");
