import { RadioChoices } from "../ui/RadioChoices";
import { RevertPlan } from "./RevertPlan";
import type { RevertPlanState } from "./useRevertPlan";

type Files = "then" | "now";

type Choices = readonly { value: Files; label: string; hint: string }[];

const BEFORE_ANSWERING: Choices = [
  {
    value: "then",
    label: "Take them back first",
    hint: "Changes since the prompt are taken back. Changes of others are kept.",
  },
  {
    value: "now",
    label: "Leave them as they are",
    hint: "The new answer begins with the files as they are now.",
  },
];

interface FilesChoiceProps {
  files: Files;
  onChoose: (files: Files) => void;
  plan: RevertPlanState;
  disabled: boolean;
  choices?: Choices;
  verb?: string;
}

/** Chooses what happens to the files before a prompt is answered again, or another answer is chosen, and shows it. */
export function FilesChoice(props: FilesChoiceProps) {
  const { files, onChoose, plan, disabled, choices = BEFORE_ANSWERING, verb = "Try again" } = props;
  return (
    <>
      <RadioChoices
        legend="Files"
        name="prompt-files"
        choices={choices}
        chosen={files}
        onChoose={onChoose}
        disabled={disabled}
      />
      {files === "then" && <RevertPlan plan={plan} verb={verb} />}
    </>
  );
}
