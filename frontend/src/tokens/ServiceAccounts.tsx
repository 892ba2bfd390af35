import { useQuery } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import {
  changeServiceAccount,
  createServiceAccount,
  createServiceToken,
  listServiceAccounts,
  listServiceTokens,
  removeServiceAccount,
  type ServiceAccount,
  type ServiceRole,
} from "../api/tokens";
import { plural } from "../lib/format";
import { ROLE_LABELS } from "../team/roles";
import type { Team, TeamTabProps } from "../team/tabProps";
import { ConfirmButton, ExpandableRow } from "../ui/ExpandableRow";
import { FieldsProblem } from "../ui/FieldsProblem";
import { Icon } from "../ui/Icon";
import { Problem, Skeleton } from "../ui/Notice";
import { OptionList } from "../ui/OptionList";
import { useAction } from "../ui/useAction";
import { SecretOnce } from "./SecretOnce";
import { TokenForm } from "./TokenForm";
import { TokenList } from "./TokenList";

const ROLES: readonly ServiceRole[] = ["admin", "member", "viewer"];

/** Service accounts of the team and their API tokens. */
export function ServiceAccounts({ team }: TeamTabProps) {
  const accounts = useQuery({
    queryKey: ["teams", team.id, "service-accounts"],
    queryFn: () => listServiceAccounts(team.id),
  });
  const refresh = () => accounts.refetch();
  return (
    <>
      <p className="muted tab-intro">
        A service account belongs to the team and is used by programs. It stays when people leave, cannot sign
        in, and only works with API tokens.
      </p>
      <AccountForm team={team} onMade={refresh} />
      {accounts.isPending && <Skeleton rows={4} label="Loading the service accounts" />}
      {accounts.error && <Problem error={accounts.error} />}
      {accounts.data?.items.length === 0 && <p className="empty-tab muted">No service accounts yet.</p>}
      <ul className="ruled-top" aria-label="Service accounts">
        {accounts.data?.items.map((account) => (
          <AccountRow key={account.id} account={account} team={team} onChanged={refresh} />
        ))}
      </ul>
    </>
  );
}

function AccountForm({ team, onMade }: { team: Team; onMade: () => Promise<unknown> }) {
  const [name, setName] = useState("");
  const [role, setRole] = useState<ServiceRole>("member");
  const [mayApprove, setMayApprove] = useState(false);
  const { run, busy, error } = useAction();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(async () => {
      const may_approve = role === "member" && mayApprove;
      await createServiceAccount(team.id, { name: name.trim(), role, may_approve });
      setName("");
      await onMade();
    });
  };
  return (
    <form className="invite-form" onSubmit={submit} aria-label="New service account">
      <label className="field">
        <span>Name</span>
        <input required maxLength={120} value={name} onChange={(event) => setName(event.target.value)} />
      </label>
      <RoleSelect role={role} label="Role" onChange={setRole} />
      <button type="submit" className="button primary" disabled={busy}>
        <Icon name="plus" size={14} /> Add
      </button>
      {role === "member" && (
        <div className="full-row cluster gap-16 gap-y-4">
          <DecisionRight may={mayApprove} onChange={setMayApprove} />
        </div>
      )}
      {error !== null && <FieldsProblem error={error} />}
    </form>
  );
}

interface RoleSelectProps {
  role: ServiceRole | "";
  label: string;
  onChange: (role: ServiceRole) => void;
}

function RoleSelect({ role, label, onChange }: RoleSelectProps) {
  return (
    <select
      className="member-role"
      aria-label={label}
      value={role}
      onChange={(event) => onChange(event.target.value as ServiceRole)}
    >
      <OptionList of={ROLES.map((one) => [one, ROLE_LABELS[one]])} />
    </select>
  );
}

interface AccountRowProps {
  account: ServiceAccount;
  team: Team;
  onChanged: () => Promise<unknown>;
}

function AccountRow({ account, team, onChanged }: AccountRowProps) {
  const { run, busy, error } = useAction();
  const act = (action: () => Promise<unknown>) =>
    void run(async () => {
      await action();
      await onChanged();
    });
  return (
    <ExpandableRow
      name={account.name}
      about={<span className="muted">{plural(account.tokens, "token")}</span>}
      testId="service-account"
      aside={
        <>
          {account.role === "member" && (
            <DecisionRight
              may={account.may_approve}
              onChange={(may_approve) => act(() => changeServiceAccount(account.id, { may_approve }))}
            />
          )}
          {account.role !== "" && (
            <RoleSelect
              role={account.role}
              label={`Role of ${account.name}`}
              onChange={(role) => act(() => changeServiceAccount(account.id, { role }))}
            />
          )}
          <ConfirmButton
            verb="Remove"
            name={account.name}
            lost="Its API tokens are revoked at once. Everything it did is kept under its name."
            busy={busy}
            onConfirm={() => act(() => removeServiceAccount(account.id))}
          />
        </>
      }
      error={error}
    >
      <AccountTokens account={account} team={team} onChanged={onChanged} />
    </ExpandableRow>
  );
}

/**
 * Whether a service account with the role member can decide permission requests; admins always can, viewers
 * never.
 */
function DecisionRight({ may, onChange }: { may: boolean; onChange: (may: boolean) => void }) {
  return (
    <label className="line gap-6">
      <input type="checkbox" checked={may} onChange={(event) => onChange(event.target.checked)} />
      Can decide requests
    </label>
  );
}

function AccountTokens({ account, team, onChanged }: AccountRowProps) {
  const tokens = useQuery({
    queryKey: ["service-accounts", account.id, "tokens"],
    queryFn: () => listServiceTokens(account.id),
  });
  const [secret, setSecret] = useState("");
  const refresh = async () => {
    await tokens.refetch();
    await onChanged();
  };
  return (
    <>
      {tokens.isPending && <Skeleton rows={2} label="Loading its tokens" />}
      {tokens.error && <Problem error={tokens.error} />}
      {tokens.data && <TokenList tokens={tokens.data.items} teams={[team]} onRevoked={refresh} />}
      {secret && <SecretOnce what="token" secret={secret} onClose={() => setSecret("")} />}
      <TokenForm
        teams={[]}
        onlyTeam={team.id}
        onCreate={async ({ team_id: _team, ...token }) => {
          setSecret((await createServiceToken(account.id, token)).token);
          await refresh();
        }}
      />
    </>
  );
}
