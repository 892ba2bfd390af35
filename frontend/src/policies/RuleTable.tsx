import { useRef } from "react";
import type { Rule } from "../api/policyTypes";
import { Icon } from "../ui/Icon";
import { EMPTY_RULES, inserted, moved, type RuleList, replaced, without } from "./document";
import { type Cell, focusCell } from "./focusCell";
import { RuleRow } from "./RuleRow";
import { useDragOrder } from "./useDragOrder";
import "./rules.css";

interface RuleTableProps {
  list: RuleList;
  title: string;
  hint: string;
  rules: Rule[];
  onChange: (rules: Rule[]) => void;
  readOnly: boolean;
}

/** An editable list of rules. Rows are moved by dragging, with buttons or with Alt and the arrow keys. */
export function RuleTable({ list, title, hint, rules, onChange, readOnly }: RuleTableProps) {
  const box = useRef<HTMLElement>(null);
  const move = (from: number, to: number, cell: Cell) => {
    if (to < 0 || to >= rules.length) return;
    onChange(moved(rules, from, to));
    focusCell(box.current, to, cell);
  };
  const add = (at: number) => {
    onChange(inserted(rules, at, EMPTY_RULES[list]));
    focusCell(box.current, at, "pattern");
  };
  const remove = (at: number) => {
    onChange(without(rules, at));
    focusCell(box.current, Math.min(at, rules.length - 2), "delete");
  };
  const drag = useDragOrder((from, to) => onChange(moved(rules, from, to)));
  return (
    <section className="rule-table" ref={box} aria-label={title} data-testid={`table-${list}`}>
      <header className="flow align-baseline gap-12 gap-y-0">
        <h2>
          {title}
          {rules.length > 0 && <span className="count">{rules.length}</span>}
        </h2>
        <p className="muted">{hint}</p>
      </header>
      {rules.length === 0 && <p className="empty-tab text-faint">None yet.</p>}
      <ol className="rule-rows">
        {rules.map((rule, index) => (
          <RuleRow
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule is its place; every field is controlled
            key={index}
            rule={rule}
            index={index}
            last={index === rules.length - 1}
            title={title}
            readOnly={readOnly}
            drag={drag.ofRow(index)}
            onChange={(next) => onChange(replaced(rules, index, next))}
            onMove={(to, cell) => move(index, to, cell)}
            onAdd={() => add(index + 1)}
            onRemove={() => remove(index)}
          />
        ))}
      </ol>
      {!readOnly && (
        <button type="button" className="button" data-add onClick={() => add(rules.length)}>
          <Icon name="plus" /> {list === "enforced" ? "Add limit" : "Add rule"}
        </button>
      )}
    </section>
  );
}
