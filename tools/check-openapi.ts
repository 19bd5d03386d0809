/** `npm run check:openapi`: an outside linter finds no error in the OpenAPI document that the service gives. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildOpenApi } from '../rest-adapter/openapi/build-openapi.ts';

const folder = mkdtempSync(join(tmpdir(), 'openapi-'));
try {
  const file = join(folder, 'openapi.json');
  writeFileSync(file, JSON.stringify(buildOpenApi('https://api.books.invalid'), null, 2));
  const linter = fileURLToPath(new URL('../node_modules/.bin/redocly', import.meta.url));
  const { status } = spawnSync(linter, ['lint', file], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true });
}
