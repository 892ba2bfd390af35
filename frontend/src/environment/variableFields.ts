// The fields of a variable's form, and the requests made from them. Pure functions.
import type { NewVariable, Variable, VariableChange } from "../api/variables";

export interface VariableFields {
  name: string;
  value: string;
  secret: boolean;
  usedFor: Variable["used_for"];
  /** Host names, one a line. */
  hosts: string;
  addedAs: NonNullable<Variable["added_as"]>;
  addedName: string;
}

export const NEW: VariableFields = {
  name: "",
  value: "",
  secret: false,
  usedFor: "requests",
  hosts: "",
  addedAs: "bearer",
  addedName: "",
};

/** What a secret is used for, from the safest use on. */
export const USES = [
  {
    name: "requests",
    label: "Added to requests for hosts",
    meaning:
      "The network adds it to https requests for the hosts below. No program in a workspace has it, so it cannot leak from there.",
  },
  {
    name: "setup",
    label: "For set-up only",
    meaning: "Set-up gets it in its environment. What set-up writes into files can be read by every command.",
  },
  {
    name: "commands",
    label: "Given to commands",
    meaning:
      "Commands and set-up get it in their environment, if the policies allow it (Secrets in commands). It is masked in output, but code that has it can send it elsewhere.",
  },
] as const;

/** Where in a request a secret is. */
export const PLACES = [
  { name: "bearer", label: "Authorization: Bearer", field: "" },
  { name: "basic", label: "Authorization: Basic (user:password)", field: "" },
  { name: "header", label: "A header of your choice", field: "Header" },
  { name: "query", label: "A parameter of the address", field: "Parameter" },
] as const;

export const fieldsOf = (variable: Variable): VariableFields => ({
  name: variable.name,
  value: variable.value,
  secret: variable.secret,
  usedFor: variable.used_for,
  hosts: variable.hosts.join("\n"),
  addedAs: variable.added_as ?? "bearer",
  addedName: variable.added_name,
});

function place({ hosts, addedAs, addedName }: VariableFields) {
  const named = PLACES.some(({ name, field }) => name === addedAs && field);
  const names = hosts.split(/[\s,]+/).filter(Boolean);
  return { hosts: names, added_as: addedAs, added_name: named ? addedName.trim() : "" };
}

/** Returns the body that creates a variable. */
export function newVariable(fields: VariableFields): NewVariable {
  const { name, value, secret, usedFor } = fields;
  if (!secret) return { name, value } as NewVariable;
  const toRequests = usedFor === "requests" ? place(fields) : {};
  return { name, value, secret, used_for: usedFor, ...toRequests } as NewVariable;
}

/** Returns the body that changes a variable. The value of a secret is kept if the field is empty. */
export function changeOf(variable: Variable, fields: VariableFields): VariableChange {
  const { name, value, usedFor } = fields;
  return {
    name,
    base_version: variable.version,
    ...(variable.secret && value === "" ? {} : { value }),
    ...(variable.secret ? { used_for: usedFor } : {}),
    ...(variable.secret && usedFor === "requests" ? place(fields) : {}),
  };
}

/** Says in a few words what a secret is for, such as "Secret for api.example.com". */
export function secretUse({ used_for, hosts }: Variable): string {
  if (used_for === "requests") return `Secret, added to requests for ${hosts.join(", ")}`;
  return used_for === "commands" ? "Secret, given to commands" : "Secret, for set-up only";
}
