import type { Question } from "../api/types";
import { webAddress } from "../tools/facts";

interface ServerMessageProps {
  server: NonNullable<Question["server"]>;
  questions: Question["questions"];
}

/** What an MCP server says about the form that it asks people to fill in, and who gets the answers. */
export function ServerMessage({ server, questions }: ServerMessageProps) {
  const isRepeated = questions.some((item) => item.question === server.message);
  const address = webAddress(server.url);
  return (
    <div className="stack gap-4">
      {!isRepeated && <p className="break-anywhere">{server.message}</p>}
      {address && (
        <p className="break-anywhere">
          <a href={address} target="_blank" rel="noopener noreferrer">
            {server.url}
          </a>
        </p>
      )}
      <p className="small muted">
        {address
          ? "The server chose this page. Check its address before you open it."
          : "Your answers go to this server. Do not send passwords or keys."}
      </p>
    </div>
  );
}
