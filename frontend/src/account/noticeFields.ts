// What the parts of the page of notifications share.
import type { NoticeChange, NoticeChoice } from "../notices/choice";

export interface NoticeFieldsProps {
  choice: NoticeChoice;
  busy: boolean;
  onChange: (part: NoticeChange) => Promise<boolean>;
}
