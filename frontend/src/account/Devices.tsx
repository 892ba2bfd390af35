import { type Device, endDevices } from "../api/auth";
import { formatAgo } from "../lib/format";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { deviceName } from "./deviceName";
import { accountKeys, refresh, useDevices } from "./queries";
import "./account.css";

const ago = (seconds: number) => formatAgo(new Date(seconds * 1000).toISOString());

/** Browsers in which the person is signed in. Signing one out takes effect at once, in open pages too. */
export function Devices() {
  const devices = useDevices();
  const { run, busy, error } = useAction();
  if (devices.error) return <Problem error={devices.error} />;
  if (!devices.data) return <Skeleton rows={4} label="Loading devices" />;
  const rows = [...devices.data].sort(
    (a, b) => Number(b.is_current) - Number(a.is_current) || b.last_seen_at - a.last_seen_at,
  );
  const others = rows.filter((row) => !row.is_current);
  const end = (ids: number[]) =>
    run(async () => {
      await endDevices(ids);
      await refresh(accountKeys.devices);
    });
  return (
    <>
      <p className="tab-intro muted">Browsers in which you are signed in. API tokens have their own tab.</p>
      {error !== null && <Problem error={error} />}
      <ul className="account-list full-width">
        {rows.map((row) => (
          <Row key={row.id} device={row} busy={busy} onEnd={() => void end([row.id])} />
        ))}
      </ul>
      {others.length > 0 && (
        <button
          type="button"
          className="button danger"
          disabled={busy}
          onClick={() => void end(others.map((row) => row.id))}
        >
          Sign out all others
        </button>
      )}
    </>
  );
}

function Row({ device, busy, onEnd }: { device: Device; busy: boolean; onEnd: () => void }) {
  return (
    <li className="line between gap-16 ruled" data-testid="device" data-current={device.is_current}>
      <span className="stack gap-0 break-anywhere">
        {deviceName(device.user_agent)}
        <small className="muted">
          {device.is_current ? "This device" : `Last seen ${ago(device.last_seen_at)}`} · {device.ip} · since{" "}
          {ago(device.created_at)}
        </small>
      </span>
      {!device.is_current && (
        <button type="button" className="button" disabled={busy} onClick={onEnd}>
          {" "}
          Sign out{" "}
        </button>
      )}
    </li>
  );
}
