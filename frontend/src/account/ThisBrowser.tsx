import { useState } from "react";
import { useStore } from "zustand";
import { removePushBrowser } from "../api/push";
import { canNotify, notifyStore, setNotify } from "../app/live";
import { isPushOn, PushRefused, turnPushOff, turnPushOn } from "../notices/push";
import { OBSTACLES, pushObstacle } from "../notices/support";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { refreshPush, usePush } from "./pushQueries";
import { Section } from "./Section";

/** Turns notices on and off in the browser of this page. */
export function ThisBrowser() {
  return (
    <Section title="This browser" about="On a phone, add the site to the home screen to open it like an app.">
      <PushSwitch />
      <PageSwitch />
    </Section>
  );
}

function PushSwitch() {
  const { data, error } = usePush();
  const action = useAction();
  const [obstacle, setObstacle] = useState(pushObstacle);
  if (error) return <Problem error={error} />;
  if (!data) return <Skeleton rows={1} label="Loading push notices" />;
  const { public_key: key, browsers } = data;
  const current = browsers.find((browser) => browser.is_current);
  const isOn = current !== undefined && isPushOn();
  if (key === null)
    return (
      <p className="muted">
        This site cannot send push notices: its operators have set no key to encrypt with.
      </p>
    );
  if (obstacle && !isOn) return <p className="muted">{OBSTACLES[obstacle]}</p>;
  const turn = () =>
    action.run(async () => {
      try {
        if (isOn) await Promise.all([turnPushOff(), removePushBrowser(current.id)]);
        else await turnPushOn(key);
      } finally {
        setObstacle(pushObstacle());
        await refreshPush();
      }
    });
  return (
    <div className="stack gap-6 items-start">
      <p>
        {isOn
          ? "Push notices are on: they reach you here although no page of the site is open, until you sign out."
          : "Push notices reach you here although no page of the site is open."}
      </p>
      <button type="button" className="button" disabled={action.busy} onClick={() => void turn()}>
        {isOn ? "Turn push notices off" : "Turn push notices on"}
      </button>
      {action.error instanceof PushRefused && <p role="alert">{action.error.message}</p>}
      {action.error !== null && !(action.error instanceof PushRefused) && <Problem error={action.error} />}
    </div>
  );
}

function PageSwitch() {
  const { on } = useStore(notifyStore);
  if (!canNotify()) return null;
  return (
    <label className="line gap-6">
      <input type="checkbox" checked={on} onChange={(event) => void setNotify(event.target.checked)} />
      Show notices of open pages while they are in the background. Where push notices are on, they come
      instead.
    </label>
  );
}
