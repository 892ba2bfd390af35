import type { PermissionNeed } from "../api/types";
import { visible, visibleLine } from "../lib/visible";
import { factsIn, numberIn, textIn } from "../tools/facts";
import { NeedText } from "./NeedText";
import "./cards.css";

/** The pull request that a call would open or update: from where to where, its title and its text. */
export function PullRequestNeed({ need }: { need: PermissionNeed }) {
  const wanted = factsIn(need.metadata, "pull_request");
  const number = numberIn(wanted, "number") ?? 0;
  const line = (name: string) => visibleLine(textIn(wanted, name));
  return (
    <div className="need boxed">
      <p className="need-subject small muted break-anywhere">
        <code>{line("branch")}</code> into <code>{line("base")}</code> of {line("repository")}
        {number > 0 && `, #${number}`}
        {wanted.draft === true && ", as a draft"}
      </p>
      <p className="need-subject medium break-anywhere ruled-top">{line("title")}</p>
      <NeedText>{visible(textIn(wanted, "body"))}</NeedText>
    </div>
  );
}
