import { useTabTitle } from "../app/live";
import { useWaiting } from "../app/waiting";
import { SettingsFrame } from "../settings/SettingsFrame";
import { ConfigurationDocument } from "./StoredConfiguration";

const TITLE = "Configuration of the site";

/** The configuration that all teams start from. Operators change it. */
export function SiteConfigurationPage() {
  useTabTitle(TITLE, useWaiting().count);
  return (
    <SettingsFrame level={{ kind: "site" }} current="configuration">
      <h1>{TITLE}</h1>
      <ConfigurationDocument
        withDefaults
        place="site"
        intro="Applies to every session of every team; teams, projects and people can override it. Operators of the site change it here."
      />
    </SettingsFrame>
  );
}
