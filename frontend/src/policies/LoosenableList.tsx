import { useRef } from "react";
import type { Loosenable } from "../api/policyTypes";
import { Icon } from "../ui/Icon";
import { replaced, without } from "./document";
import { focusCell } from "./focusCell";
import { PERMISSIONS_LIST } from "./permissions";
import "./rules.css";
import "./tabs.css";

interface LoosenableListProps {
  items: Loosenable[];
  onChange: (items: Loosenable[]) => void;
  readOnly: boolean;
}

/** Permissions that project files may allow although the team's rules do not. */
export function LoosenableList({ items, onChange, readOnly }: LoosenableListProps) {
  const box = useRef<HTMLElement>(null);
  const add = () => {
    onChange([...items, { permission: "bash", pattern: "" }]);
    focusCell(box.current, items.length, "pattern");
  };
  const remove = (at: number) => {
    onChange(without(items, at));
    focusCell(box.current, Math.min(at, items.length - 2), "delete");
  };
  return (
    <section className="loosenable" aria-label="Exceptions for project files" ref={box}>
      <h2>Exceptions for project files</h2>
      <p className="muted">
        Project files come with the repository and can only make rules stricter, except for the entries below.
        Limits always apply.
      </p>
      {items.length === 0 && <p className="empty-tab text-faint">No exceptions.</p>}
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item is its place; every field is controlled
        <div className="loosenable-row" key={index} data-index={index}>
          <input
            data-cell="permission"
            aria-label={`Permission of exception ${index + 1}`}
            list={PERMISSIONS_LIST}
            maxLength={100}
            value={item.permission}
            onChange={(event) =>
              onChange(replaced(items, index, { ...item, permission: event.target.value }))
            }
          />
          <input
            data-cell="pattern"
            aria-label={`Pattern of exception ${index + 1}`}
            maxLength={2000}
            spellCheck={false}
            placeholder="pytest *"
            value={item.pattern}
            onChange={(event) => onChange(replaced(items, index, { ...item, pattern: event.target.value }))}
          />
          {!readOnly && (
            <button
              type="button"
              className="icon-button"
              data-cell="delete"
              aria-label={`Delete exception ${index + 1}`}
              onClick={() => remove(index)}
            >
              <Icon name="close" size={14} />
            </button>
          )}
        </div>
      ))}
      {!readOnly && (
        <button type="button" className="button" data-add onClick={add}>
          <Icon name="plus" /> Add
        </button>
      )}
    </section>
  );
}
