import { Icon } from "./Icon";

/** The arrow of a row that opens. In a <details> it turns without `open`. */
export function Chevron({ open = false }: { open?: boolean }) {
  return (
    <span className={open ? "chevron open" : "chevron"}>
      <Icon name="chevron" size={12} />
    </span>
  );
}
