// For each line {"schema": JSON SCHEMA} or {"data": VALUE} of standard input: what follows a schema is checked by it; a line for
// each value, "ok" or "bad". ajv, with the dialect 2020-12. A schema that is none ends the program.
const path = require('path');
const readline = require('readline');

const Ajv = require(path.join(process.argv[2], 'ajv/dist/2020')).default;

(async () => {
    let check;
    for await (const line of readline.createInterface({ input: process.stdin })) {
        const { schema, data } = JSON.parse(line);
        if (schema !== undefined) check = new Ajv({ strictSchema: true, strictTypes: false, strictTuples: false }).compile(schema);
        else console.log(check(data) ? 'ok' : 'bad');
    }
})();
