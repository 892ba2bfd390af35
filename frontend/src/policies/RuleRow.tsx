import type { KeyboardEvent } from "react";
import type { Action, Rule } from "../api/policyTypes";
import { Icon, type IconName } from "../ui/Icon";
import type { Cell } from "./focusCell";
import { PERMISSIONS_LIST } from "./permissions";
import type { DragOfRow } from "./useDragOrder";
import "./rules.css";

interface RuleRowProps {
  rule: Rule;
  index: number;
  last: boolean;
  title: string;
  readOnly: boolean;
  drag: DragOfRow;
  onChange: (rule: Rule) => void;
  onMove: (to: number, cell: Cell) => void;
  onAdd: () => void;
  onRemove: () => void;
}

const ACTIONS: readonly Action[] = ["allow", "ask", "deny"];

export function RuleRow(props: RuleRowProps) {
  const { rule, index, title, readOnly, drag, onChange, onMove, onAdd } = props;
  const name = `${title} ${index + 1}`;
  const onKey = (event: KeyboardEvent<HTMLElement>) => {
    const cell = (event.target as HTMLElement).dataset.cell as Cell | undefined;
    const step = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
    if (step && cell && !readOnly) {
      event.preventDefault();
      onMove(index + step, cell);
    } else if (event.key === "Enter" && (event.target as HTMLElement).tagName === "INPUT" && !readOnly) {
      event.preventDefault();
      onAdd();
    }
  };
  return (
    <li
      className={`rule-row rule-${rule.action}`}
      data-index={index}
      data-testid="rule"
      data-mark={drag.mark ?? undefined}
      onKeyDown={onKey}
      {...(readOnly ? {} : drag.row)}
    >
      <span
        className="rule-grip small text-faint number"
        {...(readOnly ? {} : drag.grip)}
        title={readOnly ? "" : "Drag to move"}
      >
        {index + 1}
      </span>
      <select
        data-cell="action"
        aria-label={`Action of ${name}`}
        value={rule.action}
        disabled={readOnly}
        onChange={(event) => onChange({ ...rule, action: event.target.value as Action })}
      >
        {ACTIONS.map((action) => (
          <option key={action}>{action}</option>
        ))}
      </select>
      <input
        data-cell="permission"
        aria-label={`Permission of ${name}`}
        list={PERMISSIONS_LIST}
        maxLength={100}
        value={rule.permission}
        readOnly={readOnly}
        onChange={(event) => onChange({ ...rule, permission: event.target.value })}
      />
      <input
        data-cell="pattern"
        aria-label={`Pattern of ${name}`}
        placeholder="git push *"
        spellCheck={false}
        autoComplete="off"
        maxLength={2000}
        value={rule.pattern}
        readOnly={readOnly}
        onChange={(event) => onChange({ ...rule, pattern: event.target.value })}
      />
      {!readOnly && <RowButtons {...props} name={name} />}
    </li>
  );
}

function RowButtons({ index, last, name, onMove, onRemove }: RuleRowProps & { name: string }) {
  const button = (cell: Cell, icon: IconName, label: string, off: boolean, act: () => void) => (
    <button
      type="button"
      className="icon-button"
      data-cell={cell}
      aria-label={label}
      title={label}
      disabled={off}
      onClick={act}
    >
      <Icon name={icon} size={14} />
    </button>
  );
  return (
    <span className="rule-buttons">
      {button("up", "up", `Move ${name} up`, index === 0, () => onMove(index - 1, "up"))}
      {button("down", "down", `Move ${name} down`, last, () => onMove(index + 1, "down"))}
      {button("delete", "close", `Delete ${name}`, false, onRemove)}
    </span>
  );
}
