import { Link } from "wouter";
import { useStore } from "zustand";
import { CodeBlock } from "../conversation/CodeBlock";
import { isAdmin } from "../permissions/approvers";
import { teamPath } from "../team/paths";
import { Dialog } from "../ui/Dialog";
import { useMe } from "./queries";
import { close, shellStore } from "./shellStore";

const OPENAI_COMPATIBLE = `MODEL_BASE_URL=https://models.example.org/v1 \\
MODEL_NAME=my-model \\
MODEL_API_KEY=… make run`;
const OTHER = `MODEL_KIND=litellm \\
MODEL_NAME=anthropic/claude-sonnet-4-5 \\
MODEL_API_KEY=… make run`;

export function ProvidersDialog() {
  const isOpen = useStore(shellStore, (state) => state.providers);
  return (
    <Dialog open={isOpen} onClose={() => close("providers")} title="Add a real provider">
      <div className="prose">
        <p>
          The demo model is a small program of this site. It lists, reads, searches, edits and runs tests as
          simple instructions ask, and says so when it cannot do something. It is not a language model.
        </p>
        <AtTeams />
        <p>
          Whoever runs this site can connect one for all of its teams by starting it with a few environment
          variables. Any endpoint that speaks OpenAI's chat completions:
        </p>
        <CodeBlock language="shell" code={OPENAI_COMPATIBLE} />
        <p>Any other provider that litellm knows, by litellm's name for the model:</p>
        <CodeBlock language="shell" code={OTHER} />
        <p>
          The files <code>docs/configuration.md</code> and <code>docs/models.md</code> say more.
        </p>
        <p>Keys stay with the agent worker. This browser and the containers never see them.</p>
      </div>
    </Dialog>
  );
}

/** The teams whose providers the person manages. */
function AtTeams() {
  const teams = useMe().data?.teams.filter((team) => isAdmin(team.role)) ?? [];
  if (teams.length === 0) {
    return <p>An admin of your team can add a provider on the team's page, under Providers.</p>;
  }
  return (
    <p>
      Add one for your team, with a key of its own:{" "}
      {teams.map((team, at) => (
        <span key={team.id}>
          {at > 0 && ", "}
          <Link href={teamPath(team.id, "providers")} onClick={() => close("providers")}>
            Providers of {team.name}
          </Link>
        </span>
      ))}
      .
    </p>
  );
}
