import { useQuery } from "@tanstack/react-query";
import { useId } from "react";
import { listRefs, type RefSource } from "../api/repositories";
import { plural } from "../lib/format";
import { Problem } from "../ui/Notice";
import { useDebounced } from "../ui/useDebounced";

interface RefFieldProps {
  label: string;
  source: RefSource;
  value: string;
  onText: (ref: string) => void;
  disabled?: boolean;
}

/** Chooses a branch, tag or commit: branches and tags are suggested while one types. */
export function RefField({ label, source, value, onText, disabled = false }: RefFieldProps) {
  const id = useId();
  const search = useDebounced(value.trim(), 300);
  const found = useQuery({
    queryKey: ["refs", source, search],
    queryFn: () => listRefs(source, search),
    retry: false,
    staleTime: 30_000,
    placeholderData: (before) => before,
  });
  const refs = found.data;
  const normal = refs?.default_branch;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        list={`${id}-refs`}
        autoComplete="off"
        spellCheck={false}
        disabled={disabled}
        placeholder={normal ? `${normal} (default)` : "default branch"}
        value={value}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onText(event.target.value)}
      />
      <datalist id={`${id}-refs`}>
        {refs?.items.map((ref) => (
          <option key={`${ref.kind} ${ref.name}`} value={ref.name} label={ref.kind === "tag" ? "tag" : ""} />
        ))}
      </datalist>
      <small id={`${id}-hint`} className="muted" role="status">
        {found.isFetching && !refs && "Reading the branches"}
        {refs && hintOf(refs.items.length, refs.more, search)}
      </small>
      {found.error && <Problem error={found.error} onRetry={found.refetch} />}
    </div>
  );
}

function hintOf(count: number, more: number, search: string): string {
  if (count === 0 && search) return "No branch or tag has this in its name. You can also enter a commit.";
  if (count === 0) return "The repository has no branches yet.";
  return `${plural(count + more, "branch or tag", "branches and tags")}${more ? ". Type to find others." : ""}`;
}
