// Times JSON.parse and a validator compiled by ajv, for each message of the
// benchmark. Argument: a file with {"milliseconds", "rounds", "messages":
// [{"name", "file", "schema", "pointer"}]}. Output: nanoseconds for one
// operation, by name.
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";

const config = JSON.parse(readFileSync(process.argv[2], "utf8"));
const operations = config.messages.map(({ name, file, schema, pointer }) => {
  const document = JSON.parse(readFileSync(schema, "utf8"));
  delete document.$schema;
  const ajv = new Ajv({ strict: false, validateFormats: false, unicodeRegExp: true });
  const key = "http://localhost/" + name;
  ajv.addSchema({ ...document, $id: key }, key);
  const validate = ajv.compile({ $ref: key + "#" + encodeURI(pointer) });
  const data = readFileSync(file);
  const once = () => {
    if (!validate(JSON.parse(data.toString("utf8")))) {
      throw new Error(name + ": " + ajv.errorsText(validate.errors));
    }
  };
  return { name, once, best: Infinity };
});
// Processor time of this process in microseconds.
function used() {
  const { user, system } = process.cpuUsage();
  return user + system;
}
for (let round = 0; round < config.rounds + 1; round++) {
  for (const o of operations) {
    let count = 0;
    const start = used();
    let now = start;
    while (now < start + config.milliseconds * 1000) {
      for (let i = 0; i < 20; i++) o.once();
      count += 20;
      now = used();
    }
    if (round > 0) o.best = Math.min(o.best, ((now - start) * 1000) / count); // the first is to warm up
  }
}
console.log(JSON.stringify(Object.fromEntries(operations.map((o) => [o.name, o.best]))));
