interface ReasonFieldProps {
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
}

export function ReasonField({ value, onChange, placeholder }: ReasonFieldProps) {
  return (
    <label className="field">
      <span>Reason</span>
      <input
        // biome-ignore lint/a11y/noAutofocus: the dialog was opened to write it
        autoFocus
        required
        maxLength={500}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </label>
  );
}
