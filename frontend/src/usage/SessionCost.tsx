import { useQuery } from "@tanstack/react-query";
import { readSessionUsage } from "../api/providers";
import { formatCost } from "../lib/format";
import { useLive } from "../store/SessionContext";
import { Problem, Skeleton } from "../ui/Notice";
import { unknownPriceText } from "./shape";
import { UsageTable } from "./Usage";

/** The cost of the session with its sub-agents. Read again whenever the session's own cost changes. */
export function SessionCost({ sessionId }: { sessionId: string }) {
  const cost = useLive((state) => state.session?.cost ?? 0);
  const unpriced = useLive((state) => state.session?.unpriced_calls ?? 0);
  const status = useLive((state) => state.session?.status ?? "idle");
  const usage = useQuery({
    queryKey: ["usage", sessionId, cost, unpriced, status],
    queryFn: () => readSessionUsage(sessionId),
    placeholderData: (before) => before,
  });
  if (usage.error && !usage.data) return <Problem error={usage.error} />;
  if (!usage.data) return <Skeleton rows={3} label="Loading the cost" />;
  if (usage.data.total.calls === 0) return <p className="empty">No model calls in this session yet.</p>;
  const { total } = usage.data;
  const unknown = unknownPriceText(total.unknown);
  return (
    <>
      <p className="panel-summary muted number">
        {[Number(total.cost) > 0 || !unknown ? formatCost(Number(total.cost)) : "", unknown]
          .filter(Boolean)
          .join(", and ")}
      </p>
      <UsageTable usage={usage.data} heading="Model" />
    </>
  );
}
