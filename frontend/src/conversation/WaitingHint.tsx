import { useEffect, useState } from "react";
import { useLive } from "../store/SessionContext";
import { Icon } from "../ui/Icon";
import "./Prompt.css";

/** Whether a waiting card is in view in the conversation. */
function useIsCardInView(count: number): boolean {
  const [seen, setSeen] = useState(false);
  useEffect(() => {
    setSeen(count > 0);
    const cards = document.querySelectorAll(".conversation .card");
    if (count === 0 || cards.length === 0) return;
    const visible = new Set<Element>();
    const observer = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (entry.isIntersecting) visible.add(entry.target);
        else visible.delete(entry.target);
      }
      setSeen(visible.size > 0);
    });
    for (const card of cards) observer.observe(card);
    return () => observer.disconnect();
  }, [count]);
  return seen;
}

/** A line that leads to the waiting card while the card is out of view. */
export function WaitingHint() {
  const count = useLive(
    (state) =>
      Object.values(state.requests).filter((item) => item.state === "open").length +
      Object.values(state.questions).filter((item) => item.state === "open").length,
  );
  const inView = useIsCardInView(count);
  if (count === 0 || inView) return null;
  const show = () => {
    const card = document.querySelector<HTMLElement>(".conversation .card");
    card?.scrollIntoView({ block: "center" });
    card?.querySelector<HTMLElement>("button, input")?.focus({ preventScroll: true });
  };
  return (
    <p className="waiting-hint line gap-6 small medium text-waiting ruled">
      <Icon name="wait" size={14} />
      {count === 1 ? "The agent waits for your answer." : `${count} tool calls wait for your answer.`}
      <button type="button" className="link" onClick={show}>
        Show
      </button>
    </p>
  );
}
