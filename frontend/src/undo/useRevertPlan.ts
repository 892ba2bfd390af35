import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { previewRevert, type RevertDecision, type RevertFile, type RevertScope } from "../api/reverts";

type Decision = RevertDecision["decision"];
const NONE: readonly RevertFile[] = [];

/** What a revert would do, and what a person has decided about its conflicts. Without a scope, nothing is asked. */
export function useRevertPlan(sessionId: string, scope: RevertScope | null) {
  const [decisions, setDecisions] = useState<Readonly<Record<string, Decision>>>({});
  const preview = useQuery({
    queryKey: ["revert-preview", sessionId, scope],
    queryFn: () => previewRevert(sessionId, scope as RevertScope),
    enabled: scope !== null,
    gcTime: 0,
    retry: false,
    refetchOnWindowFocus: false,
  });
  const files = preview.data?.files ?? NONE;
  const conflicts = files.filter((file) => file.status === "conflict");
  return {
    preview,
    files,
    decisions,
    isAsked: scope !== null,
    /** Whether everything is known and decided. */
    isReady:
      Boolean(preview.data) && !preview.isFetching && conflicts.every((file) => file.path in decisions),
    decide: (path: string, decision: Decision) => setDecisions({ ...decisions, [path]: decision }),
    /** The decisions as the API takes them. */
    given: conflicts.flatMap((file): RevertDecision[] => {
      const decision = decisions[file.path];
      return decision ? [{ path: file.path, decision, seen: file.before }] : [];
    }),
    /** Forgets the decisions and compares again. */
    restart: async () => {
      setDecisions({});
      await preview.refetch();
    },
  };
}

export type RevertPlanState = ReturnType<typeof useRevertPlan>;
