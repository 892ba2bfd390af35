import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { listPorts, openPreview, type Ports } from "../api/previews";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { useAction } from "../ui/useAction";
import { type LinkedPreview, linkedPreview, previewFragment } from "./link";
import { pathOf } from "./path";
import "./preview.css";

const POLL_MS = 1_000; // while the tab is shown: a program is seen within a second

/** What a frame may do. It may not replace the page around it, and its own origin keeps it from our cookies. */
const MAY =
  "allow-scripts allow-same-origin allow-forms allow-modals allow-downloads allow-popups allow-popups-to-escape-sandbox";

interface Shown {
  port: number;
  url: string;
}

/** The ports that programs of a session's workspace listen on, and the page of one of them. */
export function PreviewPanel({ sessionId }: { sessionId: string }) {
  const list = useQuery({
    queryKey: ["ports", sessionId],
    queryFn: () => listPorts(sessionId),
    refetchInterval: POLL_MS,
  });
  const [shown, setShown] = useState<Shown | null>(null);
  const [path, setPath] = useState("/");
  const action = useAction();
  const show = (port: number, at: string) =>
    action.run(async () => {
      const { url } = await openPreview(sessionId, port, pathOf(at));
      setPath(pathOf(at));
      setShown({ port, url });
    });
  useLink(({ port, path: at }) => void show(port, at));
  if (list.isPending) return <Skeleton rows={4} label="Loading ports" />;
  if (list.isError && !list.data) return <Problem error={list.error} onRetry={list.refetch} />;
  const { ports, reason } = list.data;
  if (reason) return <p className="empty">Previews are off here. {reason}</p>;
  const openTab = (port: number) =>
    action.run(async () => {
      const { url } = await openPreview(sessionId, port, pathOf(path));
      window.open(url, "_blank", "noopener,noreferrer");
    });
  return (
    <div className="preview vertical">
      <PortChoices
        ports={ports}
        shown={shown?.port}
        busy={action.busy}
        onChoose={(port) => void show(port, shown?.port === port ? path : "/")}
      />
      {shown && (
        <AddressBar
          place={{ port: shown.port, path }}
          busy={action.busy}
          onChange={setPath}
          onGo={() => void show(shown.port, path)}
          onOpenTab={() => void openTab(shown.port)}
        />
      )}
      {action.error !== null && <Problem error={action.error} />}
      {shown ? (
        <iframe
          key={shown.url}
          className="preview-frame"
          title={`Preview of port ${shown.port}`}
          src={shown.url}
          sandbox={MAY}
          referrerPolicy="no-referrer"
        />
      ) : (
        <Explanation list={list.data} />
      )}
    </div>
  );
}

interface PortChoicesProps {
  ports: Ports["ports"];
  shown: number | undefined;
  busy: boolean;
  onChoose: (port: number) => void;
}

function PortChoices({ ports, shown, busy, onChoose }: PortChoicesProps) {
  const numbers = ports.map((each) => each.port);
  const isGone = shown !== undefined && !numbers.includes(shown);
  if (numbers.length === 0 && !isGone) return null;
  return (
    <fieldset className="preview-ports line gap-4 ruled" aria-label="Ports">
      {numbers.map((port) => (
        <button
          key={port}
          type="button"
          className="button small"
          aria-pressed={port === shown}
          disabled={busy}
          onClick={() => onChoose(port)}
        >
          Port {port}
        </button>
      ))}
      {isGone && (
        <span className="small muted" role="status">
          No program listens on port {shown} now.
        </span>
      )}
    </fieldset>
  );
}

interface AddressBarProps {
  place: LinkedPreview;
  busy: boolean;
  onChange: (path: string) => void;
  onGo: () => void;
  onOpenTab: () => void;
}

function AddressBar({ place, busy, onChange, onGo, onOpenTab }: AddressBarProps) {
  const go = (event: FormEvent) => {
    event.preventDefault();
    onGo();
  };
  return (
    <form className="preview-bar line gap-4 ruled" onSubmit={go}>
      <input
        className="field grow mono"
        aria-label="Path of the page"
        spellCheck={false}
        value={place.path}
        onChange={(event) => onChange(event.target.value)}
      />
      <button type="submit" className="icon-button" aria-label="Load the page" disabled={busy}>
        <Icon name="retry" size={14} />
      </button>
      <CopyLink place={place} />
      <button
        type="button"
        className="icon-button"
        aria-label="Open in a tab"
        disabled={busy}
        onClick={onOpenTab}
      >
        <Icon name="out" size={14} />
      </button>
    </form>
  );
}

/** Copies a link that opens this preview for other members of the session. */
function CopyLink({ place }: { place: LinkedPreview }) {
  const [copied, setCopied] = useState("");
  const { origin, pathname } = window.location;
  const address = `${origin}${pathname}${previewFragment(place)}`;
  if (!navigator.clipboard) return null;
  const isCopied = copied === address;
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={isCopied ? "Link copied" : "Copy link for members"}
      onClick={() => void navigator.clipboard.writeText(address).then(() => setCopied(address))}
    >
      <Icon name={isCopied ? "check" : "copy"} size={14} />
    </button>
  );
}

/** Opens the preview that the address of the page names, once. */
function useLink(open: (place: LinkedPreview) => void): void {
  const done = useRef(false);
  useEffect(() => {
    const place = linkedPreview(window.location.hash);
    if (!place || done.current) return;
    done.current = true;
    window.history.replaceState(window.history.state, "", window.location.pathname + window.location.search);
    open(place);
  });
}

function Explanation({ list }: { list: Ports }) {
  if (list.ports.length > 0) return <p className="empty">Choose a port to see the page that it serves.</p>;
  return (
    <div className="empty stack gap-8">
      <p>{list.running ? "No program of the workspace listens on a port." : "The workspace does not run."}</p>
      <p className="muted">
        Ask the agent to start the app, for example “Start the development server in the background”. Its port
        appears here, and you see its page beside the conversation.
      </p>
    </div>
  );
}
