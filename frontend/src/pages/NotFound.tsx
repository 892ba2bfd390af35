import { Link } from "wouter";
import { useTabTitle } from "../app/live";
import { useWaiting } from "../app/waiting";

export function NotFound({ what = "page" }: { what?: string }) {
  useTabTitle("Not found", useWaiting().count);
  return (
    <main className="alone" id="main">
      <p className="mono medium text-faint">404</p>
      <h1>There is no such {what}</h1>
      <p className="muted">It may have been deleted, or it belongs to a team that you are not a member of.</p>
      <Link href="/" className="button">
        Back to home
      </Link>
    </main>
  );
}
