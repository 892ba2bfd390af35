// Types shared by the parts of the page of notifications.
import type { NoticeChange, NoticeChoice } from "../notices/choice";

export interface NoticeFieldsProps {
  choice: NoticeChoice;
  busy: boolean;
  /** Saves a change. A function gets the newest choice and returns the change. */
  onChange: (part: NoticeChange | ((now: NoticeChoice) => NoticeChange)) => Promise<boolean>;
}
