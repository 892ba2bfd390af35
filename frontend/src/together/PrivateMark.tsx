import { Icon } from "../ui/Icon";

const WHY = "Private: only who started it and the people they added see it";

interface MarkProps {
  sharedWith: "team" | "private";
  size?: number;
}

/** Beside the title of a session that not everybody in the team sees; nothing beside the others. */
export function PrivateMark({ sharedWith, size = 12 }: MarkProps) {
  if (sharedWith !== "private") return null;
  return (
    <span className="private-mark" data-testid="private-mark" title={WHY}>
      <Icon name="lock" size={size} />
      <span className="sr-only">Private</span>
    </span>
  );
}
