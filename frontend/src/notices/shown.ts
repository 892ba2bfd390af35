// Notifications that an open page in the background shows, in browsers where the person has turned them on.
import type { Notice } from "../api/frames";
import type { Me, Session } from "../api/types";
import { keys, queryClient } from "../app/queries";
import { atPrefix } from "../lib/prefix";
import { type NoticeChoice, noticeChoice } from "./choice";
import { isPushOn } from "./push";

interface Shown {
  title: string;
  body: string;
  path: string;
  isWanted: (choice: NoticeChoice) => boolean;
}

const myId = () => queryClient.getQueryData<Me | null>(keys.me)?.user.id;

/** Whether a session is one's own. One that is not in a list counts as one's own: a notice too many does less harm. */
function isMine(sessionId: string): boolean {
  const lists = queryClient.getQueriesData<{ items?: Session[] }>({ queryKey: keys.sessionLists });
  const found = lists.flatMap(([, list]) => list?.items ?? []).find(({ id }) => id === sessionId);
  return !found?.created_by || found.created_by.id === myId();
}

const working = new Set<string>();

/** Notes whether a session works. True if it is one's own, worked when it was last heard of, and works no more. */
function hasEnded(session: Session): boolean {
  const worked = working.delete(session.id);
  if (session.status !== "idle") working.add(session.id);
  const isOwn = session.parent_id === null && session.created_by?.id === myId() && myId() !== undefined;
  return worked && session.status === "idle" && isOwn;
}

/** What a notice shows; null if it asks for nothing. */
function shownOf(notice: Notice): Shown | null {
  const path = `/sessions/${notice.session_id}`;
  const waits = (choice: NoticeChoice) =>
    choice.page === "all" || (choice.page === "own" && isMine(notice.session_id));
  if (notice.kind === "permission.asked")
    return { title: "An agent needs your permission", body: notice.data.title, path, isWanted: waits };
  if (notice.kind === "question.asked") {
    const body = notice.data.questions[0]?.question ?? "";
    return { title: "An agent has a question for you", body, path, isWanted: waits };
  }
  if (notice.kind === "session.updated" && hasEnded(notice.data)) {
    const isWanted = (choice: NoticeChoice) => choice.page_news.includes("turn_ended");
    return { title: "The work in your session has ended", body: notice.data.title, path, isWanted };
  }
  if (notice.kind === "budget.updated" && notice.data.message) {
    const isWanted = (choice: NoticeChoice) => choice.page_news.includes("budget");
    const budgets = `/teams/${notice.data.team_id}/budgets`;
    return { title: "News of a budget", body: notice.data.message, path: budgets, isWanted };
  }
  return null;
}

/**
 * Shows a notification if the notice asks for something, nobody looks at the page, and the person wants it. Where push
 * notices are on, they say the same.
 */
export async function noteNotice(notice: Notice): Promise<void> {
  const shown = shownOf(notice);
  if (!shown || document.visibilityState === "visible" || isPushOn()) return;
  if (!("Notification" in window) || Notification.permission !== "granted") return;
  const choice = await noticeChoice();
  if (!choice || !shown.isWanted(choice)) return;
  const { title, body, path } = shown;
  const tag = notice.session_id || path;
  const notification = new Notification(title, { body, tag, icon: atPrefix("/static/mark.svg") });
  notification.onclick = () => {
    window.focus();
    window.history.pushState(null, "", atPrefix(path));
    notification.close();
  };
}
