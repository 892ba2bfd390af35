import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { readSessionRules } from "../api/policies";
import type { LayerRules, SessionRules } from "../api/policyTypes";
import { plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { GrantList } from "../permissions/GrantList";
import { layerLabel } from "../permissions/layers";
import { versionText } from "../permissions/WhyRow";
import { policyPath } from "../policies/paths";
import { ruleLine } from "../policies/text";
import { useLive } from "../store/SessionContext";
import { Chevron } from "../ui/Chevron";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import "./RulesPanel.css";

/** Reads the session's rules, and again when the agent changes or somebody answers "always". */
function useSessionRules(sessionId: string) {
  const agent = useLive((state) => state.session?.agent);
  const granted = useLive(
    (state) => Object.values(state.requests).filter((request) => request.state === "always").length,
  );
  return useQuery({
    queryKey: ["grants", "rules", sessionId, agent, granted],
    queryFn: () => readSessionRules(sessionId),
    placeholderData: keepPreviousData,
    staleTime: 0,
  });
}

/** Everything that decides about this session's tool calls: layers, limits, hidden tools and grants. */
export function RulesPanel({ sessionId }: { sessionId: string }) {
  const rules = useSessionRules(sessionId);
  const projectId = useLive((state) => state.session?.project_id);
  return (
    <div className="rules-panel" data-testid="rules-panel">
      {rules.error && !rules.data && <Problem error={rules.error} />}
      {!rules.data && !rules.error && <Skeleton rows={6} label="Loading the rules" />}
      {rules.data && <Layers rules={rules.data} />}
      <section aria-label="Grants">
        <h2>Grants</h2>
        <GrantList place={{ of: "session", id: sessionId }} />
      </section>
      {projectId && (
        <p className="panel-foot">
          <Link href={policyPath(projectId)} className="link">
            Policy of the project
          </Link>
        </p>
      )}
    </div>
  );
}

function Layers({ rules }: { rules: SessionRules }) {
  const own = rules.limits.filter((limit) => !limit.name.startsWith("parent"));
  return (
    <>
      <p className="panel-summary muted number">
        Agent {rules.agent}, preset {rules.preset}.{" "}
        {versionText(rules.versions).replace("Policies at that time", "Policies")}
        {rules.incomplete_commands === "allow" &&
          " Commands that cannot be read completely run unasked if the rules allow every command."}
      </p>
      <section aria-label="Limits">
        <h2>Limits</h2>
        {own.length === 0 && rules.inherited.length === 0 && (
          <p className="empty">No limits apply: the layers below decide.</p>
        )}
        {own.map((layer) => (
          <Layer key={layer.name} layer={layer} note="lower layers cannot loosen it" />
        ))}
        {rules.inherited.map((layer) => (
          <Layer key={layer.name} layer={layer} note="inherited" />
        ))}
      </section>
      <section aria-label="Layers">
        <h2>Layers, weakest first</h2>
        {rules.preferences.map((layer) => (
          <Layer
            key={layer.name}
            layer={layer}
            note={layer.tightens_only ? "can only make rules stricter" : ""}
          />
        ))}
      </section>
      <HiddenTools tools={rules.hidden_tools} />
      <ProjectFiles files={rules.project_files} />
    </>
  );
}

function Layer({ layer, note }: { layer: LayerRules; note: string }) {
  return (
    <details className="layer ruled-top" data-testid="layer">
      <summary className="line">
        <Chevron />
        <span className="medium" data-testid="layer-name">
          {layerLabel(layer.name)}
        </span>
        {note && <span className="muted small">{note}</span>}
        <span className="count push-end">
          {layer.rules.length}
          <span className="sr-only"> {layer.rules.length === 1 ? "rule" : "rules"}</span>
        </span>
      </summary>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys scroll it only when it can take the focus */}
      <pre tabIndex={0}>
        {layer.rules.map((rule) => visibleLine(ruleLine(rule, false))).join("\n") || "No rules."}
      </pre>
    </details>
  );
}

function HiddenTools({ tools }: { tools: readonly string[] }) {
  if (tools.length === 0) return null;
  return (
    <section aria-label="Hidden tools">
      <h2>Hidden from the model</h2>
      <p className="hidden-tools flow gap-12 gap-y-4">
        {tools.map((tool) => (
          <code key={tool}>{tool}</code>
        ))}
      </p>
    </section>
  );
}

function ProjectFiles({ files }: { files: SessionRules["project_files"] }) {
  if (files.length === 0) return null;
  return (
    <section aria-label="Project files">
      <h2>Project files</h2>
      <ul className="project-files">
        {files.map((file) => (
          <li key={file.path} className="flow gap-12 gap-y-0">
            <code>{visibleLine(file.path)}</code>
            {file.problem ? (
              <span className="inline gap-4 text-failed">
                <Icon name="warning" size={12} /> Not used: {visibleLine(file.problem)}
              </span>
            ) : (
              <span className="muted">{plural(Object.keys(file.permission).length, "permission")}</span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
