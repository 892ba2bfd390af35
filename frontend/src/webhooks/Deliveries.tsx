import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { type Delivery, getDelivery, listDeliveries, redeliver } from "../api/webhooks";
import { queryClient } from "../app/queries";
import { formatAgo } from "../lib/format";
import { usePages } from "../lib/usePages";
import { Problem, Skeleton } from "../ui/Notice";
import { PagedList } from "../ui/PagedList";
import { useAction } from "../ui/useAction";
import "./webhooks.css";

export const deliveriesKey = (hookId: string) => ["webhooks", hookId, "deliveries"];

const STATE_LABELS: Record<Delivery["state"], string> = {
  waiting: "Waiting",
  delivered: "Delivered",
  given_up: "Failed",
};

/** Deliveries of a webhook, newest first, with their results. */
export function Deliveries({ hookId }: { hookId: string }) {
  const deliveries = usePages(deliveriesKey(hookId), (cursor) => listDeliveries(hookId, cursor), {
    refetchInterval: 5000,
  });
  return (
    <PagedList
      query={deliveries}
      label="Deliveries"
      className="deliveries"
      loading="Loading the deliveries"
      placeholders={3}
      empty="No deliveries yet."
      more="Show older deliveries"
    >
      {(row) => <DeliveryRow key={row.id} delivery={row} />}
    </PagedList>
  );
}

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const [open, setOpen] = useState(false);
  const { run, busy, error } = useAction();
  const again = () =>
    void run(async () => {
      await redeliver(delivery.id);
      await queryClient.invalidateQueries({ queryKey: deliveriesKey(delivery.webhook_id) });
    });
  return (
    <li data-testid="delivery" data-state={delivery.state}>
      <div className="list-line cluster gap-12 gap-y-4">
        <button
          type="button"
          className="list-toggle cluster gap-y-2"
          aria-expanded={open}
          onClick={() => setOpen((was) => !was)}
        >
          <code>{delivery.type}</code>
          <span className="muted">
            {STATE_LABELS[delivery.state]}
            {lastAttemptText(delivery)} · {formatAgo(delivery.created_at)}
          </span>
        </button>
        <button type="button" className="button" disabled={busy} onClick={again}>
          Send again
        </button>
      </div>
      {error !== null && <Problem error={error} />}
      {open && <DeliveryDetails delivery={delivery} />}
    </li>
  );
}

function lastAttemptText({ last }: Delivery): string {
  if (!last) return "";
  return last.status ? ` · ${last.status} in ${last.milliseconds} ms` : " · no response";
}

/** Content and attempts of a delivery, read again after each attempt. */
function DeliveryDetails({ delivery: { id, attempts } }: { delivery: Delivery }) {
  const details = useQuery({
    queryKey: ["deliveries", id, attempts],
    queryFn: () => getDelivery(id),
    placeholderData: keepPreviousData,
  });
  if (details.error) return <Problem error={details.error} />;
  if (!details.data) return <Skeleton rows={2} label="Loading the delivery" />;
  return (
    <div className="delivery-details">
      <p className="muted">Sent</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling regions must be reachable by keyboard */}
      <pre tabIndex={0}>{details.data.body}</pre>
      <ol aria-label="Attempts">
        {details.data.tries.map((one) => (
          <li key={one.number}>
            {formatAgo(one.at)}: {one.status || "no response"} in {one.milliseconds} ms. {one.problem}
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling regions must be reachable by keyboard */}
            {one.answer && <pre tabIndex={0}>{one.answer}</pre>}
          </li>
        ))}
      </ol>
    </div>
  );
}
