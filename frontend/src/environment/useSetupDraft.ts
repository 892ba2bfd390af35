import { useState } from "react";
import { hasCode } from "../api/http";
import { type ProjectSetup, readProjectSetup, saveSetup } from "../api/setup";
import { queryClient } from "../app/queries";

type Field = "script" | "services";

export const keyOf = (projectId: string) => ["setup", projectId];

/** The draft of one text of the set-up, which is never saved over a text that the person has not seen. */
export function useSetupDraft(projectId: string, setup: ProjectSetup, field: Field) {
  const [draft, setDraft] = useState(setup[field]);
  const [base, setBase] = useState(setup);
  const isChanged = draft !== base[field];
  const isNewer = setup[field] !== base[field] && isChanged && draft !== setup[field];
  if (setup !== base && !isNewer) {
    setBase(setup);
    if (!isChanged) setDraft(setup[field]);
  }
  const settle = (text: string) => {
    setDraft(text);
    setBase(setup);
  };
  const save = async () => {
    queryClient.setQueryData(keyOf(projectId), await saveOver(projectId, field, draft, base));
  };
  return { draft, setDraft, isChanged, isNewer, settle, save };
}

/** Saves a text unless somebody changed it since `base`. Returns the set-up as it is then. */
async function saveOver(projectId: string, field: Field, draft: string, base: ProjectSetup) {
  const texts = field === "script" ? { script: draft } : { services: draft };
  try {
    return await saveSetup(projectId, texts, base.tag);
  } catch (problem) {
    if (!hasCode(problem, "precondition_failed")) throw problem;
  }
  const fresh = await readProjectSetup(projectId);
  return fresh[field] === base[field] ? saveSetup(projectId, texts, fresh.tag) : fresh;
}
