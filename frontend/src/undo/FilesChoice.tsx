import { RadioChoices } from "../ui/RadioChoices";
import { RevertPlan } from "./RevertPlan";
import type { RevertPlanState } from "./useRevertPlan";

type Files = "then" | "now";

const CHOICES: readonly { value: Files; label: string; hint: string }[] = [
  {
    value: "then",
    label: "Take them back first",
    hint: "What was changed since the prompt is taken back. What others changed stays.",
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
}

/** Chooses whether files are taken back before a prompt is answered again, and shows what that would do. */
export function FilesChoice({ files, onChoose, plan, disabled }: FilesChoiceProps) {
  return (
    <>
      <RadioChoices
        legend="Files"
        name="prompt-files"
        choices={CHOICES}
        chosen={files}
        onChoose={onChoose}
        disabled={disabled}
      />
      {files === "then" && <RevertPlan plan={plan} verb="Try again" />}
    </>
  );
}
