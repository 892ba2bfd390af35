// Types shared by the account page and its tabs.
import type { Me } from "../api/types";

export interface AccountTabProps {
  me: Me;
}
