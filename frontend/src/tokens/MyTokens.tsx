import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { createToken, listTokens } from "../api/tokens";
import type { Me } from "../api/types";
import { Problem, Skeleton } from "../ui/Notice";
import { McpConnection } from "./McpConnection";
import { SecretOnce } from "./SecretOnce";
import { TokenForm } from "./TokenForm";
import { TokenList } from "./TokenList";

/** The person's own API tokens. */
export function MyTokens({ me }: { me: Me }) {
  const tokens = useQuery({ queryKey: ["tokens"], queryFn: listTokens });
  const [secret, setSecret] = useState("");
  return (
    <>
      <p className="muted tab-intro">
        An API token lets a program act for you, within the scopes you choose and never beyond your own
        permissions.
      </p>
      <TokenForm
        teams={me.teams}
        onCreate={async (token) => {
          setSecret((await createToken(token)).token);
          await tokens.refetch();
        }}
      />
      {secret && <SecretOnce what="token" secret={secret} onClose={() => setSecret("")} />}
      {tokens.isPending && <Skeleton rows={4} label="Loading your tokens" />}
      {tokens.error && <Problem error={tokens.error} />}
      {tokens.data && (
        <TokenList tokens={tokens.data.items} teams={me.teams} onRevoked={() => tokens.refetch()} />
      )}
      <McpConnection />
    </>
  );
}
