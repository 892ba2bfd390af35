// A form for the arguments of a tool, made from its JSON Schema.

type Schema = Record<string, unknown>;

/** A field for one argument. A value that no form field fits is written as JSON. */
export interface SchemaField {
  name: string;
  kind: "text" | "number" | "boolean" | "choice" | "json";
  required: boolean;
  about: string;
  choices: readonly string[];
  start: string;
}

const isObject = (value: unknown): value is Schema =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The fields of a schema, the required ones first. */
export function schemaFields(schema: Schema): SchemaField[] {
  const required = Array.isArray(schema.required) ? schema.required : [];
  const fields = Object.entries(isObject(schema.properties) ? schema.properties : {}).map(([name, about]) =>
    fieldOf(name, isObject(about) ? about : {}, required.includes(name)),
  );
  return [...fields.filter((field) => field.required), ...fields.filter((field) => !field.required)];
}

function fieldOf(name: string, schema: Schema, required: boolean): SchemaField {
  const choices = choicesOf(schema);
  const start = schema.default;
  return {
    name,
    kind: choices.length > 0 ? "choice" : kindOf(schema.type),
    required,
    about: typeof schema.description === "string" ? schema.description : "",
    choices,
    start: start === undefined ? "" : typeof start === "string" ? start : JSON.stringify(start),
  };
}

function choicesOf(schema: Schema): string[] {
  if (!Array.isArray(schema.enum)) return [];
  return schema.enum.every((value) => typeof value === "string") ? schema.enum : [];
}

function kindOf(type: unknown): SchemaField["kind"] {
  if (type === "string") return "text";
  if (type === "number" || type === "integer") return "number";
  return type === "boolean" ? "boolean" : "json";
}

/** The arguments that the texts of a form stand for; empty ones are left out. Throws an Error that names a field. */
export function argumentsOf(
  fields: readonly SchemaField[],
  texts: Readonly<Record<string, string>>,
): Record<string, unknown> {
  const given = fields.flatMap((field) => {
    const text = texts[field.name] ?? field.start;
    if (text === "" && !(field.required && field.kind === "text")) return [];
    return [[field.name, toValue(field, text)]];
  });
  return Object.fromEntries(given);
}

function toValue(field: SchemaField, text: string): unknown {
  if (field.kind === "text" || field.kind === "choice") return text;
  if (field.kind === "boolean") return text === "true";
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`“${field.name}” is not ${field.kind === "number" ? "a number" : "valid JSON"}.`);
  }
}
