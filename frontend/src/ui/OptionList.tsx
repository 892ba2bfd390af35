interface OptionListProps {
  /** The value and the label of each option. */
  of: readonly (readonly [value: string | number, label: string | number])[];
}

/** The options of a <select>. */
export const OptionList = ({ of }: OptionListProps) =>
  of.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));
