/**
 * `npm run check:openapi`: the OpenAPI document is fully described, its examples are valid, and an external linter
 * finds no error in it.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openApiErrors } from './openapi/openapi-errors.ts';

const file = new URL('../schema/openapi.json', import.meta.url);

const errors = openApiErrors(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>);
for (const error of errors) console.error(`schema/openapi.json: ${error}`);
const linter = fileURLToPath(new URL('../node_modules/.bin/redocly', import.meta.url));
const { status } = spawnSync(linter, ['lint', fileURLToPath(file)], { stdio: 'inherit' });
process.exitCode = errors.length > 0 ? 1 : (status ?? 1);
