// Writes the types of the API and of the WebSocket frames from the committed documents. With --check it only
// compares them with the committed files.
import { readFileSync, writeFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import openapiTS, { astToString, COMMENT_HEADER } from "openapi-typescript";

const DOCUMENTS = new URL("../tests/contract/", import.meta.url);
const TYPES = new URL("src/api/", import.meta.url);

const read = (name) => JSON.parse(readFileSync(new URL(name, DOCUMENTS), "utf8"));
const render = async (document, options) => COMMENT_HEADER + astToString(await openapiTS(document, options));

/** Both channels in one OpenAPI document. Each direction gets a union of its frames, such as `SessionServerFrame`. */
function frameDocument() {
  const schemas = {};
  const add = (name, schema) => {
    if (name in schemas && !isDeepStrictEqual(schemas[name], schema))
      throw new Error(`Two different frame schemas are named ${name}.`);
    schemas[name] = schema;
  };
  for (const [channel, directions] of Object.entries(inComponents(read("frames.schema.json")))) {
    for (const [direction, { $defs, oneOf, anyOf }] of Object.entries(directions)) {
      for (const [name, schema] of Object.entries($defs)) add(name, schema);
      add(`${capitalized(channel)}${capitalized(direction)}Frame`, { oneOf: oneOf ?? anyOf });
    }
  }
  return {
    openapi: "3.1.0",
    info: { title: "WebSocket frames", version: "1" },
    paths: {},
    components: { schemas },
  };
}

const inComponents = (schema) =>
  JSON.parse(JSON.stringify(schema).replaceAll("#/$defs/", "#/components/schemas/"));
const capitalized = (word) => word[0].toUpperCase() + word.slice(1);

const generated = {
  "schema.d.ts": await render(read("openapi.json")),
  "frames.schema.d.ts": await render(frameDocument(), { defaultNonNullable: false }),
};
for (const [name, types] of Object.entries(generated)) {
  const file = new URL(name, TYPES);
  if (!process.argv.includes("--check")) writeFileSync(file, types);
  else if (readFileSync(file, "utf8") !== types) {
    console.error(`frontend/src/api/${name} is out of date: run "make openapi" and commit what it writes.`);
    process.exitCode = 1;
  }
}
