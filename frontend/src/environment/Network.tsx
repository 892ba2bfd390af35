import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import { readProjectNetwork } from "../api/policies";
import type { ProjectNetwork, RefusedHost } from "../api/policyTypes";
import { formatAgo, plural } from "../lib/format";
import { visibleLine } from "../lib/visible";
import { GrantRow } from "../permissions/GrantList";
import { policyPath } from "../policies/paths";
import { policyKeys } from "../policies/queries";
import { NETWORK_MODES } from "../policies/sandbox";
import type { ProjectTabProps } from "../project/tabProps";
import { Problem, Skeleton } from "../ui/Notice";
import { trafficText } from "../workspaces/labels";
import { nextStep, policyOfMode, SOURCE_TEXTS } from "./network";
import "./environment.css";

const REFRESH_MS = 15_000;

/** The network mode of the project's workspaces, the hosts they were refused lately, and what people allowed. */
export function Network(props: ProjectTabProps) {
  const { id } = props.project;
  const network = useQuery({
    queryKey: policyKeys.network(id),
    queryFn: () => readProjectNetwork(id),
    refetchInterval: REFRESH_MS,
  });
  return (
    <section className="settings-section stack gap-16 ruled-top" aria-label="Network">
      <h2>Network</h2>
      {network.isPending && <Skeleton rows={3} label="Loading the network" />}
      {network.error && !network.data && <Problem error={network.error} onRetry={network.refetch} />}
      {network.data && (
        <>
          <Mode network={network.data} {...props} />
          <p className="muted" data-testid="traffic">
            {trafficText(network.data.traffic)}
          </p>
          <Refused network={network.data} {...props} />
          <Allowed network={network.data} />
        </>
      )}
    </section>
  );
}

type PartProps = ProjectTabProps & { network: ProjectNetwork };

function Mode({ network, project }: PartProps) {
  const mode = NETWORK_MODES.find(({ name }) => name === network.mode);
  return (
    <p className="stack gap-4">
      <span className="flow gap-8 gap-y-0">
        <strong data-testid="network-mode">{mode?.label ?? network.mode}</strong>
        <span className="muted">{SOURCE_TEXTS[network.source]}</span>
        <Link href={policyPath(policyOfMode(network.source, project), "options")} className="link">
          View policy
        </Link>
      </span>
      <span className="muted">{mode?.meaning}</span>
    </p>
  );
}

function Refused({ network, ...props }: PartProps) {
  return (
    <div className="stack">
      <h3>Refused hosts</h3>
      {network.refused.length === 0 ? (
        <p className="muted">No command was refused a host.</p>
      ) : (
        <ul className="ruled-top" aria-label="Refused hosts">
          {network.refused.map((host) => (
            <RefusedRow key={host.name} host={host} network={network} {...props} />
          ))}
        </ul>
      )}
    </div>
  );
}

function RefusedRow({ host, network, project, mayChange }: PartProps & { host: RefusedHost }) {
  const step = nextStep(host, network, project, mayChange);
  return (
    <li className="host ruled" data-testid="refused-host">
      <div className="host-row line gap-12">
        <code className="grow break-anywhere">{visibleLine(host.name)}</code>
        {step.path && (
          <Link href={step.path} className="button" aria-label={`${step.label}: ${host.name}`}>
            {step.label}
          </Link>
        )}
      </div>
      {!step.isAllowed && <p className="small break-anywhere">{host.reason}</p>}
      <p className="flow gap-12 gap-y-0 small muted">
        <span>{plural(host.times, "call")}</span>
        <span>
          last <time dateTime={host.last_at}>{formatAgo(host.last_at)}</time> in{" "}
          <Link href={`/sessions/${host.session_id}`} className="link">
            this session
          </Link>
        </span>
        <span>{step.text}</span>
      </p>
    </li>
  );
}

function Allowed({ network }: { network: ProjectNetwork }) {
  return (
    <div className="stack">
      <h3>Hosts that people allowed</h3>
      {network.grants.length === 0 ? (
        <p className="muted">Nobody has answered “always” to a request to connect.</p>
      ) : (
        <ul className="ruled-top" aria-label="Hosts that people allowed">
          {network.grants.map((grant) => (
            <GrantRow key={grant.id} grant={grant} showsScope />
          ))}
        </ul>
      )}
    </div>
  );
}
