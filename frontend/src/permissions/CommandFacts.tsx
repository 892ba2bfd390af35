import { visibleLine } from "../lib/visible";
import { Icon } from "../ui/Icon";
import { hasFacts, type ShellFacts } from "./shellFacts";
import "./CommandFacts.css";

const MAX_ITEMS = 12;

/** The commands of a shell text, what they read, write and access, and what could not be parsed. */
export function CommandFacts({ facts }: { facts: ShellFacts }) {
  if (!hasFacts(facts)) return null;
  return (
    <dl className="command-facts small ruled-top" data-testid="command-facts">
      <Line term="Runs" items={facts.commands} />
      <Line term="Needs an answer" items={facts.asked} />
      <Line term="Reads" items={facts.reads} />
      <Line term="Writes" items={facts.writes} />
      <Line term="Accesses outside the workspace" items={facts.outside} />
      {(!facts.complete || facts.reasons.length > 0) && <Unparsed reasons={facts.reasons} />}
    </dl>
  );
}

function Line({ term, items }: { term: string; items: string[] }) {
  if (items.length === 0) return null;
  return (
    <div>
      <dt className="line gap-4 muted">{term}</dt>
      <dd className="flow gap-6 gap-y-4">
        {[...new Set(items)].slice(0, MAX_ITEMS).map((item) => (
          <code key={item}>{visibleLine(item)}</code>
        ))}
        {items.length > MAX_ITEMS && <span>and {items.length - MAX_ITEMS} more</span>}
      </dd>
    </div>
  );
}

function Unparsed({ reasons }: { reasons: string[] }) {
  return (
    <div>
      <dt className="line gap-4 text-waiting">
        <Icon name="warning" size={12} /> <span className="muted">Could not be fully parsed</span>
      </dt>
      <dd className="stack gap-6 gap-y-4">
        {reasons.length === 0 && <span>So no rule with a wildcard can allow it.</span>}
        {reasons.map((reason) => (
          <span key={reason}>{visibleLine(reason)}</span>
        ))}
      </dd>
    </div>
  );
}
