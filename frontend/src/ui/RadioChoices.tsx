interface Choice<Value extends string> {
  value: Value;
  label: string;
  hint: string;
}

interface RadioChoicesProps<Value extends string> {
  legend: string;
  /** The name of the radio buttons, unique on the page. */
  name: string;
  choices: readonly Choice<Value>[];
  chosen: Value;
  onChoose: (value: Value) => void;
  disabled?: boolean;
  className?: string;
}

/** One of a few choices, each with a sentence about what it does. */
export function RadioChoices<Value extends string>(props: RadioChoicesProps<Value>) {
  const { legend, name, choices, chosen, onChoose, disabled = false, className = "" } = props;
  return (
    <fieldset className={`${className} stack gap-12`.trim()} disabled={disabled}>
      <legend className="semibold">{legend}</legend>
      {choices.map((choice) => (
        <label key={choice.value} className="flex align-start">
          <input
            type="radio"
            name={name}
            checked={chosen === choice.value}
            onChange={() => onChoose(choice.value)}
          />
          <span>
            <strong>{choice.label}</strong>
            <span className="block muted">{choice.hint}</span>
          </span>
        </label>
      ))}
    </fieldset>
  );
}
