import { Icon } from "../ui/Icon";

const EXPLANATION = "Private: visible only to the person who started it and people they added";

interface MarkProps {
  sharedWith: "team" | "private";
  size?: number;
}

/** Mark beside the title of a private session; nothing for other sessions. */
export function PrivateMark({ sharedWith, size = 12 }: MarkProps) {
  if (sharedWith !== "private") return null;
  return (
    <span className="no-shrink muted" data-testid="private-mark" title={EXPLANATION}>
      <Icon name="lock" size={size} />
      <span className="sr-only">Private</span>
    </span>
  );
}
