import { TextField } from "../ui/TextField";

interface ReasonFieldProps {
  value: string;
  onChange: (value: string) => void;
  placeholder: string;
}

export function ReasonField({ value, onChange, placeholder }: ReasonFieldProps) {
  return (
    <TextField
      label="Reason"
      autoFocus
      required
      maxLength={500}
      placeholder={placeholder}
      value={value}
      onText={onChange}
    />
  );
}
