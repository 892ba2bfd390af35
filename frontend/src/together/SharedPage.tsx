// The page of a share link: the conversation of a session, without the rest of the interface.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { ApiError } from "../api/http";
import { readShared, type SharedMessage, type SharedPart } from "../api/together";
import { queryClient } from "../app/queries";
import { Markdown } from "../conversation/Markdown";
import { atPrefix } from "../lib/prefix";
import { Icon } from "../ui/Icon";
import { Logo } from "../ui/Logo";
import { Problem, Skeleton } from "../ui/Notice";
import "./SharedPage.css";

const REFRESH_DELAY_MS = 500;
const RETRY_MS = 5_000;

/** Whether the error is temporary (offline or overloaded) and says nothing about the link. */
const isTemporary = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 0 || error.status === 429 || error.status >= 500);

/**
 * Refreshes when the server reports a change or closes the stream, which may mean that the link was revoked.
 */
function useChanges(secret: string, enabled: boolean): void {
  const [refusals, setRefusals] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each refusal asks for a stream anew
  useEffect(() => {
    if (!enabled || !("EventSource" in window)) return;
    let quiet: ReturnType<typeof setTimeout> | undefined;
    let later: ReturnType<typeof setTimeout> | undefined;
    const again = () => {
      clearTimeout(quiet);
      quiet = setTimeout(
        () => void queryClient.invalidateQueries({ queryKey: ["shared", secret] }),
        REFRESH_DELAY_MS,
      );
    };
    const stream = new EventSource(atPrefix(`/api/v1/shared/${encodeURIComponent(secret)}/events`));
    // The browser reopens a stream that was cut, but not one that was refused.
    const repair = () => {
      again();
      if (stream.readyState === EventSource.CLOSED) {
        later = setTimeout(() => setRefusals((count) => count + 1), RETRY_MS);
      }
    };
    stream.addEventListener("changed", again);
    stream.addEventListener("error", repair);
    return () => {
      clearTimeout(quiet);
      clearTimeout(later);
      stream.close();
    };
  }, [secret, enabled, refusals]);
}

export function SharedPage({ secret }: { secret: string }) {
  const { data, error } = useQuery({
    queryKey: ["shared", secret],
    queryFn: () => readShared(secret),
    retry: false,
    refetchInterval: (query) => isTemporary(query.state.error) && RETRY_MS,
  });
  const isAway = isTemporary(error);
  useChanges(secret, data !== undefined && (!error || isAway));
  useEffect(() => {
    document.title = data && !error ? `${data.title || "Shared session"} · agentsite` : "agentsite";
  }, [data, error]);
  if (error && !(data && isAway)) return <LinkProblem error={error} />;
  if (!data) return <Skeleton rows={7} label="Loading the session" />;
  return (
    <div className="shared">
      <header className="shared-head cluster gap-12 gap-y-4 ruled">
        <Logo />
        <h1>{data.title || "Untitled session"}</h1>
        <span className="muted">
          {data.reach === "public" ? "Shared by link" : "Shared with the team"}, read only
          {data.expires_at && ` until ${new Date(data.expires_at).toLocaleDateString()}`}
        </span>
      </header>
      <main className="reading" id="main">
        {isAway && (
          <p className="muted" role="status">
            The site does not respond. This page continues automatically when it does.
          </p>
        )}
        {data.earlier && <p className="muted">Earlier messages are not shown.</p>}
        {data.messages.length === 0 && <p className="muted">No messages yet.</p>}
        {data.messages.map((message, index) => (
          <Message
            key={message.id}
            message={message}
            secret={secret}
            goesOn={sameAuthor(data.messages[index - 1], message)}
          />
        ))}
        {data.status !== "idle" && (
          <p className="progress line muted" role="status">
            <span className="pulse" aria-hidden="true" />
            {data.status === "running" ? "The agent is working" : "The agent is waiting for an answer"}
          </p>
        )}
      </main>
    </div>
  );
}

function LinkProblem({ error }: { error: unknown }) {
  return (
    <main className="alone" id="main">
      <h1 className="sr-only">Shared session</h1>
      <Problem error={error}>
        <Link href="/" className="button">
          {error instanceof ApiError && error.status === 401 ? "Sign in" : "Back to home"}
        </Link>
      </Problem>
    </main>
  );
}

/**
 * Whether two messages have the same author: each step of an answer is a message, and only the first shows
 * the name.
 */
const sameAuthor = (before: SharedMessage | undefined, message: SharedMessage): boolean =>
  message.role !== "user" && before?.role === message.role && before.agent === message.agent;

interface MessageProps {
  message: SharedMessage;
  secret: string;
  goesOn: boolean;
}

function Message({ message, secret, goesOn }: MessageProps) {
  const isPrompt = message.role === "user";
  return (
    <article className={isPrompt ? "user-message" : "shared-answer"}>
      {!goesOn && (
        <p className="muted message-author small" data-testid="shared-author">
          {isPrompt ? message.author || "Prompt" : message.agent}
        </p>
      )}
      {message.parts.map((part) => (
        <Part key={part.id} part={part} plain={isPrompt} secret={secret} />
      ))}
    </article>
  );
}

function Part({ part, plain, secret }: { part: SharedPart; plain: boolean; secret: string }) {
  if (part.type === "tool") {
    return (
      <p className="shared-tool line gap-6 muted">
        <Icon name="tool" size={14} /> Used {part.text}
        {part.state === "error" && " (failed)"}
      </p>
    );
  }
  if (part.type === "file" && part.file) {
    const address = atPrefix(`/api/v1/shared/${encodeURIComponent(secret)}/attachments/${part.file.id}`);
    return (
      <a className="shared-file line gap-6" href={address} download={part.file.name}>
        <Icon name="clip" size={14} /> {part.file.name}
      </a>
    );
  }
  return plain ? <p>{part.text}</p> : <Markdown text={part.text} streaming={false} />;
}
