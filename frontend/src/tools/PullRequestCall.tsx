import { visible } from "../lib/visible";
import type { CallViewProps } from "./callView";
import { textIn } from "./facts";
import { OutLink } from "./WebViews";

/** The pull request that a call opened or updated: its address and its text. */
export function PullRequestCall({ call }: CallViewProps) {
  const url = textIn(call.metadata, "url");
  return (
    <div className="call-note stack gap-8">
      <p className="break-anywhere">
        <OutLink url={url}>{url}</OutLink>
      </p>
      <p className="break-anywhere pre-wrap muted">{visible(textIn(call.arguments, "body"))}</p>
    </div>
  );
}
