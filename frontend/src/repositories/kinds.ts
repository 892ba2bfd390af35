// The kinds of connections: what each needs, in words for admins.
import type { Connection, ConnectionKind } from "../api/repositories";

interface KindText {
  label: string;
  /** Whether the forge has no public address of its own. */
  needsAddress: boolean;
  usualAddress: string;
  token: string;
  /** What the token has to be allowed to do. */
  hint: string;
}

export const KINDS: Readonly<Record<ConnectionKind, KindText>> = {
  github: {
    label: "GitHub",
    needsAddress: false,
    usualAddress: "https://github.com",
    token: "Token",
    hint: "A fine-grained token for the repositories, with Contents and Pull requests: read and write; Checks and Commit statuses: read.",
  },
  gitlab: {
    label: "GitLab",
    needsAddress: false,
    usualAddress: "https://gitlab.com",
    token: "Access token",
    hint: "A personal, group or project access token with the scope api.",
  },
  gitea: {
    label: "Gitea or Forgejo",
    needsAddress: true,
    usualAddress: "",
    token: "Access token",
    hint: "An access token with read and write access to repositories, and read access to the user.",
  },
  bitbucket: {
    label: "Bitbucket",
    needsAddress: false,
    usualAddress: "https://bitbucket.org",
    token: "Access token",
    hint: "An access token with write access to repositories and pull requests. For an API token of an account, enter its e-mail address as the user name.",
  },
  git: {
    label: "Other git server",
    needsAddress: true,
    usualAddress: "",
    token: "Password or token",
    hint: "Leave it empty for repositories that everybody may read.",
  },
  ssh: {
    label: "Git server by SSH, with a deploy key",
    needsAddress: true,
    usualAddress: "git@git.example.org",
    token: "",
    hint: "The site makes the key. Register its public part at the server, as a deploy key of the repository.",
  },
};

export const KIND_OPTIONS = Object.entries(KINDS).map(([kind, { label }]): [string, string] => [kind, label]);

const NAMES: readonly (readonly [RegExp, ConnectionKind])[] = [
  [/gitlab/, "gitlab"],
  [/github/, "github"],
  [/bitbucket/, "bitbucket"],
  [/gitea|forgejo|codeberg/, "gitea"],
];

/** Returns the kind of forge that an address speaks of with the name of its host, if any. */
export function kindOf(address: string): ConnectionKind | null {
  if (/^(ssh:\/\/|[\w.-]+@[\w.-]+(:|$))/i.test(address.trim())) return "ssh";
  const host = /^https?:\/\/([^/]*)/i.exec(address.trim())?.[1]?.toLowerCase() ?? "";
  return NAMES.find(([name]) => name.test(host))?.[1] ?? null;
}

const STATES: Readonly<Record<Connection["state"], string>> = {
  unknown: "Not tested",
  ok: "Connected",
  failed: "Failed",
  revoked: "Revoked",
};

export const stateLabel = (state: Connection["state"]): string => STATES[state];

/** The key of the connections of a team in the query cache. */
export const connectionsKey = (teamId: string) => ["teams", teamId, "connections"];

/** The key of a project's repository in the query cache. */
export const repositoryKey = (projectId: string) => ["projects", projectId, "repository"];
