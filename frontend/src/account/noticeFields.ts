// What the parts of the page of notifications share.
import type { NoticeChange, NoticeChoice } from "../notices/choice";

export interface NoticeFieldsProps {
  choice: NoticeChoice;
  busy: boolean;
  /** Saves a change; one that depends on the choice is made from the newest. */
  onChange: (part: NoticeChange | ((now: NoticeChoice) => NoticeChange)) => Promise<boolean>;
}
