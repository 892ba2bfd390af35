import { useState } from "react";
import { type PushBrowser, removePushBrowser, testPushBrowser } from "../api/push";
import { formatAgo } from "../lib/format";
import { turnPushOff } from "../notices/push";
import { Problem } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { deviceName } from "./deviceName";
import { refreshPush, usePush } from "./pushQueries";
import { Section } from "./Section";
import "./account.css";

const LOOK_AGAIN_MS = [1_500, 5_000, 15_000]; // when a test may have changed the row

/** The browsers in which the person gets push notices, each with a test and its removal. */
export function PushBrowsers() {
  const browsers = usePush().data?.browsers ?? [];
  if (browsers.length === 0) return null;
  return (
    <Section title="Browsers with push notices">
      <ul className="account-list full-width">
        {browsers.map((browser) => (
          <Row key={browser.id} browser={browser} />
        ))}
      </ul>
    </Section>
  );
}

function Row({ browser }: { browser: PushBrowser }) {
  const { run, busy, error } = useAction();
  const [isTested, setTested] = useState(false);
  const name = deviceName(browser.user_agent);
  const test = () =>
    run(async () => {
      await testPushBrowser(browser.id);
      setTested(true);
      for (const wait of LOOK_AGAIN_MS) setTimeout(() => void refreshPush(), wait);
    });
  const remove = () =>
    run(async () => {
      await removePushBrowser(browser.id);
      if (browser.is_current) await turnPushOff();
      await refreshPush();
    });
  return (
    <li className="line between gap-16 ruled" data-testid="push-browser">
      <span className="stack gap-0 break-anywhere">
        {name}
        <small className="muted">
          {browser.is_current ? "This browser · " : ""}
          {browser.used_at ? `last notice ${formatAgo(browser.used_at)}` : "no notice yet"} · since{" "}
          {formatAgo(browser.created_at)} · {browser.service}
        </small>
        {browser.problem && <small className="push-problem">{browser.problem}</small>}
        <small role="status">
          {isTested ? "A test is on its way. It should appear within seconds." : ""}
        </small>
        {error !== null && <Problem error={error} />}
      </span>
      <span className="line gap-6">
        <button
          type="button"
          className="button"
          disabled={busy}
          aria-label={`Send a test to ${name}`}
          onClick={() => void test()}
        >
          Send a test
        </button>
        <button
          type="button"
          className="button"
          disabled={busy}
          aria-label={`Remove ${name}`}
          onClick={() => void remove()}
        >
          Remove
        </button>
      </span>
    </li>
  );
}
