// The options of a new task, besides its prompt.
import type { NewSession } from "../api/types";

/** The workspace of the task: a new one, or the id of one that exists. */
export const NEW_WORKSPACE = "new";

export interface TaskOptions {
  workspace: string;
  /** Branch, tag or commit that a new workspace starts from; "" for the default branch. */
  ref: string;
  /** The folder that the task is about, such as a package of a monorepo; "" for the root. */
  folder: string;
  /** "" for the default of the project. */
  agent: string;
  model: string;
  /** The reasoning effort; "" for the default. */
  effort: string;
  isPrivate: boolean;
}

/** Returns the body of the request that creates the session. */
export function newSessionOf({
  workspace,
  ref,
  folder,
  agent,
  model,
  effort,
  isPrivate,
}: TaskOptions): NewSession {
  const place =
    workspace !== NEW_WORKSPACE
      ? { workspace_id: workspace }
      : ref.trim()
        ? { ref: ref.trim() }
        : { new_workspace: true };
  return {
    ...place,
    ...(folder.trim() ? { folder: folder.trim() } : {}),
    ...(agent ? { agent } : {}),
    ...(model ? { model } : {}),
    ...(effort ? { effort } : {}),
    ...(isPrivate ? { shared_with: "private" as const } : {}),
  };
}
