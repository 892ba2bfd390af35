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
const LITELLM = `MODEL_KIND=litellm \\
MODEL_NAME=anthropic/claude-sonnet-4-5 \\
MODEL_API_KEY=… make run`;

export function ProvidersDialog() {
  const isOpen = useStore(shellStore, (state) => state.providers);
  return (
    <Dialog open={isOpen} onClose={() => close("providers")} title="Add a real provider">
      <div className="prose break-anywhere">
        <p>
          The demo model is a small program of this site, not a language model. It follows simple instructions
          to list, read, search and edit files and to run tests, and tells you when it cannot do something.
        </p>
        <TeamProviderLinks />
        <p>
          Operators can add a provider for all teams by starting the site with these environment variables.
          For any endpoint that is compatible with OpenAI's chat completions:
        </p>
        <CodeBlock language="shell" code={OPENAI_COMPATIBLE} />
        <p>For any other provider that LiteLLM supports, with LiteLLM's name for the model:</p>
        <CodeBlock language="shell" code={LITELLM} />
        <p>
          For details, see <code>docs/configuration.md</code> and <code>docs/models.md</code>.
        </p>
        <p>Only the agent worker can read the keys. Browsers and containers never get them.</p>
      </div>
    </Dialog>
  );
}

/** Links to the provider pages of the teams that the person manages. */
function TeamProviderLinks() {
  const teams = useMe().data?.teams.filter((team) => isAdmin(team.role)) ?? [];
  if (teams.length === 0) {
    return <p>An admin can add a provider for your team on the team's page, under Providers.</p>;
  }
  return (
    <p>
      Add a provider with its own key for your team:{" "}
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
