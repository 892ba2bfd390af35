// The kinds of connections: what each needs, in words for admins.
import type { Connection, ConnectionKind } from "../api/repositories";

interface KindText {
  label: string;
  /** Whether the forge has no public address of its own. */
  needsAddress: boolean;
  token: string;
  /** What the token has to be allowed to do. */
  hint: string;
}

export const KINDS: Readonly<Record<ConnectionKind, KindText>> = {
  github: {
    label: "GitHub",
    needsAddress: false,
    token: "Token",
    hint: "A fine-grained token for the repositories, with Contents and Pull requests: read and write; Checks and Commit statuses: read.",
  },
  gitlab: {
    label: "GitLab",
    needsAddress: false,
    token: "Access token",
    hint: "A personal, group or project access token with the scope api.",
  },
  gitea: {
    label: "Gitea or Forgejo",
    needsAddress: true,
    token: "Access token",
    hint: "An access token with read and write access to repositories, and read access to the user.",
  },
  bitbucket: {
    label: "Bitbucket",
    needsAddress: false,
    token: "Access token",
    hint: "An access token with write access to repositories and pull requests. For an API token of an account, enter its e-mail address as the user name.",
  },
  git: {
    label: "Other git server",
    needsAddress: true,
    token: "Password or token",
    hint: "Leave it empty for repositories that everybody may read.",
  },
};

export const KIND_OPTIONS = Object.entries(KINDS).map(([kind, { label }]): [string, string] => [kind, label]);

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
