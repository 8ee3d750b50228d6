// What @bufbuild/cel makes of expressions: reads a JSON array of {"expression", "properties"} from standard
// input and writes a line for each: true, false or failure, with the reason.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const { CelScalar, celFunc, run } = createRequire(process.argv[2] + "/")("@bufbuild/cel");

const asInput = (value) =>
  Array.isArray(value) ? value.map(asInput)
  : value && typeof value === "object" ? new Map(Object.entries(value).map(([k, v]) => [k, asInput(v)]))
  : value;

// Versions without pre-releases are enough for a judge.
const version = (text) => {
  const parts = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(String(text).trim());
  if (!parts) throw new Error(`no version: ${text}`);
  return parts.slice(1).map((part) => BigInt(part ?? 0));
};
const compare = (a, b) => {
  const [x, y] = [version(a), version(b)];
  for (let i = 0; i < 3; i++) if (x[i] !== y[i]) return x[i] < y[i] ? -1n : 1n;
  return 0n;
};
const funcs = [celFunc("semver_compare", [CelScalar.DYN, CelScalar.DYN], CelScalar.INT, compare)];

for (const { expression, properties } of JSON.parse(readFileSync(0, "utf8"))) {
  let answer;
  try {
    const result = run(expression, { properties: asInput(properties) }, { funcs });
    answer = typeof result === "boolean" ? String(result) : `failure: ${result}`;
  } catch (error) {
    answer = `failure: ${error}`;
  }
  console.log(answer.replaceAll("\n", " "));
}
