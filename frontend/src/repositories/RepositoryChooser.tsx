import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import {
  type ChosenRepository as Choice,
  type Connection,
  listConnections,
  type RefSource,
  type Repository,
  searchRepositories,
} from "../api/repositories";
import { visibleLine } from "../lib/visible";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { TextField } from "../ui/TextField";
import { useDebounced } from "../ui/useDebounced";
import { ConnectionForm } from "./ConnectionForm";
import { DeployKey } from "./DeployKey";
import { connectionsKey } from "./kinds";
import { RefField } from "./RefField";
import "./repositories.css";

const PUBLIC = "public";
const NEW = "new";

/** A choice, and the branch that the forge calls its default. */
export type ChosenRepository = Choice & { usualBranch?: string };

interface RepositoryChooserProps {
  teamId: string;
  chosen: ChosenRepository;
  onChoose: (chosen: ChosenRepository) => void;
}

/** Chooses a repository: a connection, then a repository of it, then the branch to start from. */
export function RepositoryChooser({ teamId, chosen, onChoose }: RepositoryChooserProps) {
  const found = useQuery({ queryKey: connectionsKey(teamId), queryFn: () => listConnections(teamId) });
  const usable = found.data?.items.filter((each) => each.state !== "revoked") ?? [];
  const [place, setPlace] = useState("");
  const first = usable[0]?.id ?? NEW;
  const current = place || (found.data ? (chosen.connection ?? (chosen.url ? PUBLIC : first)) : "");
  const select = (next: string) => {
    setPlace(next);
    onChoose(next === PUBLIC || next === NEW ? {} : { connection: next });
  };
  if (found.error && !found.data) return <Problem error={found.error} onRetry={found.refetch} />;
  if (!found.data) return <Skeleton rows={3} label="Loading the connections" />;
  return (
    <div className="stack gap-16">
      <label className="field">
        <span>From</span>
        <select value={current} onChange={(event) => select(event.target.value)}>
          <OptionList of={usable.map((each) => [each.id, visibleLine(each.name)])} />
          <option value={NEW}>Connect a forge</option>
          <option value={PUBLIC}>A public repository, by its address</option>
        </select>
      </label>
      {current === NEW && (
        <div className="boxed chooser-form">
          <ConnectionForm teamId={teamId} onConnected={(made) => select(made.id)} />
        </div>
      )}
      {current === PUBLIC && <ByAddress teamId={teamId} chosen={chosen} onChoose={onChoose} />}
      {usable
        .filter((each) => each.id === current && each.state !== "ok")
        .map((each) => (
          <DeployKey key={each.id} connection={each} />
        ))}
      {current !== NEW && current !== PUBLIC && (
        <OfConnection
          key={current}
          connection={current}
          isGit={hasNoList(usable.find((each) => each.id === current))}
          chosen={chosen}
          onChoose={onChoose}
        />
      )}
    </div>
  );
}

const hasNoList = (connection: Connection | undefined) =>
  connection?.kind === "git" || connection?.kind === "ssh";

interface OfConnectionProps {
  connection: string;
  isGit: boolean;
  chosen: ChosenRepository;
  onChoose: (chosen: ChosenRepository) => void;
}

function OfConnection({ connection, isGit, chosen, onChoose }: OfConnectionProps) {
  const [search, setSearch] = useState("");
  const wanted = useDebounced(search.trim(), 300);
  const found = useQuery({
    queryKey: ["repositories", connection, wanted],
    queryFn: () => searchRepositories(connection, wanted),
    retry: false,
    enabled: !isGit,
    placeholderData: (before) => before,
  });
  const only = wanted === "" && found.data?.items.length === 1 ? found.data.items[0] : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: chosen once, when it is known that there is no other
  useEffect(() => {
    if (only && !chosen.name) onChoose(choiceIn(connection, only));
  }, [only]);
  const source: RefSource | null = chosen.name ? { connection, repository: chosen.name } : null;
  return (
    <>
      {isGit ? (
        <TextField
          label="Path of the repository"
          required
          placeholder="team/project.git"
          value={chosen.name ?? ""}
          onText={(name) => onChoose({ connection, name })}
        />
      ) : (
        <>
          <TextField label="Search" type="search" value={search} onText={setSearch} />
          {found.error && <Problem error={found.error} onRetry={found.refetch} />}
          {found.isPending && !found.error && <Skeleton rows={4} label="Asking the forge" />}
          {found.data && (
            <fieldset className="repository-list boxed" aria-busy={found.isFetching}>
              <legend className="sr-only">Repository</legend>
              {found.data.items.map((repository) => (
                <label key={repository.full_name} className="repository-option line gap-6">
                  <input
                    type="radio"
                    name="repository"
                    checked={chosen.name === repository.full_name}
                    onChange={() => onChoose(choiceIn(connection, repository))}
                  />
                  <span className="grow break-anywhere">{visibleLine(repository.full_name)}</span>
                  {repository.private && <small className="muted">private</small>}
                </label>
              ))}
              {found.data.items.length === 0 && (
                <p className="muted">
                  {wanted ? "No repository has this in its name." : "The credential reaches no repository."}
                </p>
              )}
            </fieldset>
          )}
        </>
      )}
      {source && (
        <RefField
          label="Branch"
          source={source}
          value={chosen.ref ?? ""}
          onText={(ref) => onChoose({ ...chosen, ref })}
        />
      )}
    </>
  );
}

const choiceIn = (connection: string, { full_name, default_branch }: Repository): ChosenRepository => ({
  connection,
  name: full_name,
  usualBranch: default_branch,
});

interface ByAddressProps {
  teamId: string;
  chosen: ChosenRepository;
  onChoose: (chosen: ChosenRepository) => void;
}

function ByAddress({ teamId, chosen, onChoose }: ByAddressProps) {
  const [url, setUrl] = useState(chosen.url ?? "");
  const settled = useDebounced(url.trim(), 500);
  const isAddress = /^https?:\/\/[^/]+\/.+/.test(settled);
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new address makes a new choice
  useEffect(() => {
    if (settled !== (chosen.url ?? "")) onChoose(settled ? { url: settled } : {});
  }, [settled]);
  return (
    <>
      <TextField
        label="Address"
        type="url"
        required
        placeholder="https://github.com/owner/name"
        value={url}
        onText={setUrl}
        hint="It is cloned without a credential, so sessions cannot push to it."
      />
      {isAddress && chosen.url === settled && (
        <RefField
          label="Branch"
          source={{ team: teamId, url: settled }}
          value={chosen.ref ?? ""}
          onText={(ref) => onChoose({ ...chosen, ref })}
        />
      )}
    </>
  );
}

/** Returns the choice as the API wants it, with the branch that it means. */
export function choiceOf({ usualBranch = "", ...chosen }: ChosenRepository): Choice {
  return { ...chosen, ref: chosen.ref?.trim() || usualBranch };
}

/** Returns whether a repository is chosen. */
export const isChosen = (chosen: ChosenRepository): boolean => !!(chosen.name?.trim() || chosen.url?.trim());

/** Returns a name for a project with this repository. */
export function nameOf(chosen: ChosenRepository): string {
  const path = (chosen.name || chosen.url || "").replace(/\/+$/, "").replace(/\.git$/, "");
  return path.split("/").pop() ?? "";
}
