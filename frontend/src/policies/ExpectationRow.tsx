import type { Action, CheckedExpectation, Expectation } from "../api/policyTypes";
import { ACTION_LABELS, reasonLine } from "../permissions/layers";
import { Icon } from "../ui/Icon";
import { OptionList } from "../ui/OptionList";
import { PERMISSIONS_LIST } from "./permissions";
import "./tabs.css";

interface ExpectationRowProps {
  item: Expectation;
  index: number;
  agents: readonly string[];
  result: CheckedExpectation | undefined;
  readOnly: boolean;
  onChange: (item: Expectation) => void;
  onRemove: () => void;
}

const EXPECTED_LABELS: Record<Action, string> = {
  allow: "must be allowed",
  ask: "must ask",
  deny: "must be denied",
};

/**
 * One expectation, such as "git push with build must ask", for a command or a permission with a concrete
 * pattern.
 */
export function ExpectationRow(props: ExpectationRowProps) {
  const { item, index, agents, result, readOnly, onChange, onRemove } = props;
  const name = `expectation ${index + 1}`;
  return (
    <li className="expectation ruled" data-index={index} data-testid="expectation">
      <Subject item={item} name={name} readOnly={readOnly} onChange={onChange} />
      <select
        aria-label={`Agent of ${name}`}
        value={item.agent}
        disabled={readOnly}
        onChange={(event) => onChange({ ...item, agent: event.target.value })}
      >
        {[...new Set([...agents, item.agent])].map((agent) => (
          <option key={agent}>{agent}</option>
        ))}
      </select>
      <select
        aria-label={`Expected decision of ${name}`}
        value={item.expect}
        disabled={readOnly}
        onChange={(event) => onChange({ ...item, expect: event.target.value as Action })}
      >
        <OptionList
          of={(Object.keys(EXPECTED_LABELS) as Action[]).map((action) => [action, EXPECTED_LABELS[action]])}
        />
      </select>
      <input
        aria-label={`Note of ${name}`}
        className="expectation-note"
        placeholder="Note"
        maxLength={500}
        value={item.note}
        readOnly={readOnly}
        onChange={(event) => onChange({ ...item, note: event.target.value })}
      />
      {!readOnly && (
        <button
          type="button"
          className="icon-button"
          data-cell="delete"
          aria-label={`Delete ${name}`}
          onClick={onRemove}
        >
          <Icon name="close" size={14} />
        </button>
      )}
      <Result result={result} />
    </li>
  );
}

type SubjectProps = Pick<ExpectationRowProps, "item" | "readOnly" | "onChange"> & { name: string };

/** Fields for the permission and its subject; for bash the subject is a command. */
function Subject({ item, name, readOnly, onChange }: SubjectProps) {
  const isCommand = item.permission === "bash";
  const text = item.command || item.pattern;
  const change = (permission: string, value: string) => {
    const command = permission === "bash" ? value : "";
    onChange({ ...item, permission, command, pattern: command ? "" : value });
  };
  return (
    <>
      <input
        aria-label={`Permission of ${name}`}
        className="expectation-permission mono"
        list={PERMISSIONS_LIST}
        maxLength={100}
        value={item.permission}
        readOnly={readOnly}
        onChange={(event) => change(event.target.value, text)}
      />
      <input
        data-cell="pattern"
        className="expectation-subject mono"
        aria-label={`${isCommand ? "Command" : "Subject"} of ${name}`}
        placeholder={isCommand ? "git push --force" : "src/.env"}
        spellCheck={false}
        autoComplete="off"
        value={text}
        readOnly={readOnly}
        onChange={(event) => change(item.permission, event.target.value)}
      />
    </>
  );
}

function Result({ result }: { result: CheckedExpectation | undefined }) {
  if (!result) return <p className="expectation-result line gap-6 small full-row muted">Not checked yet</p>;
  if (result.ok) {
    return (
      <p className="expectation-result line gap-6 small full-row ok">
        <Icon name="check" size={12} /> Passed
      </p>
    );
  }
  const why = result.decision ? `: ${reasonLine(result.decision)}` : "";
  return (
    <p className="expectation-result line gap-6 small full-row text-failed">
      <Icon name="warning" size={12} /> Would be {ACTION_LABELS[result.action].toLowerCase()}
      {why}
    </p>
  );
}
