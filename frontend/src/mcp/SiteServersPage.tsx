import { useTabTitle } from "../app/live";
import { useMe } from "../app/queries";
import { useWaiting } from "../app/waiting";
import { SettingsFrame } from "../settings/SettingsFrame";
import { ServerList } from "./Servers";

const TITLE = "MCP servers of the site";

/** The MCP servers that all teams have. Operators change them. */
export function SiteServersPage() {
  const me = useMe().data;
  useTabTitle(TITLE, useWaiting().count);
  return (
    <SettingsFrame level={{ kind: "site" }} current="mcp">
      <h1>{TITLE}</h1>
      <ServerList
        owner="site"
        place="site"
        mayChange={me?.is_operator ?? false}
        intro="Agents in all projects of all teams can use the tools of these servers. A team or a project replaces one with a server of the same name. Operators of the site change them here."
      />
    </SettingsFrame>
  );
}
