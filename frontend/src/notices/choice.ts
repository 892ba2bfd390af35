// The person's choice of notices, which the settings page and open pages share.
import { useQuery } from "@tanstack/react-query";
import { type Notifications, readNotifications } from "../api/together";
import { queryClient } from "../app/queries";

export type NoticeChoice = Notifications;
export type NoticeChange = Partial<Notifications>;
export const CHOICE_KEY = ["notifications"] as const;

export const useNoticeChoice = () => useQuery({ queryKey: CHOICE_KEY, queryFn: readNotifications });

const FRESH_MS = 60_000;

/** Returns the choice without asking for it more than once in a minute; null if it cannot be read. */
export const noticeChoice = (): Promise<NoticeChoice | null> =>
  queryClient
    .fetchQuery({ queryKey: CHOICE_KEY, queryFn: readNotifications, staleTime: FRESH_MS })
    .catch(() => null);
