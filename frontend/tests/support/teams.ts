import type { Invitation, Member } from "../../src/api/teams";
import type { Team } from "../../src/team/tabProps";

export const team = (over: Partial<Team> = {}): Team => ({
  id: "tea_1",
  slug: "t",
  name: "Team",
  role: "owner",
  may_approve: true,
  remove_at: null,
  ...over,
});

export const member = (over: Partial<Member> = {}): Member => ({
  id: "mem_2",
  team_id: "tea_1",
  user: { id: "usr_2", email: "mika@example.org", name: "Mika" },
  role: "member",
  may_approve: true,
  is_service: false,
  created_at: "2026-01-01T00:00:00Z",
  ...over,
});

export const invitation = (over: Partial<Invitation> = {}): Invitation => ({
  id: "inv_1",
  team_id: "tea_1",
  email: "new@example.org",
  role: "member",
  may_approve: true,
  state: "open",
  invited_by: { id: "usr_1", email: "a@example.org", name: "A" },
  created_at: "2026-01-01T00:00:00Z",
  sent_at: "2026-01-01T00:00:00Z",
  expires_at: "2036-01-08T00:00:00Z",
  accepted_at: null,
  ...over,
});

export const page = (items: unknown[]) => ({ body: { items, next_cursor: null } });
