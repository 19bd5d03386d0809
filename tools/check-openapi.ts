/** `npm run check:openapi`: the OpenAPI document explains itself and its examples are right, and an outside linter finds no error in it. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiFaults } from './openapi/openapi-faults.ts';

const file = new URL('../schema/openapi.json', import.meta.url);

const faults = openApiFaults(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>);
for (const fault of faults) console.error(`schema/openapi.json: ${fault}`);
const linter = fileURLToPath(new URL('../node_modules/.bin/redocly', import.meta.url));
const { status } = spawnSync(linter, ['lint', fileURLToPath(file)], { stdio: 'inherit' });
process.exitCode = faults.length > 0 ? 1 : (status ?? 1);
