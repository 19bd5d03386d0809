/** `npm run check:routes`: every endpoint is served, has its contract test at the path of its URL, and the example that the other tests are derived from. */
import { existsSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { ROUTES } from '../rest-adapter/route-table.ts';
import { routeErrors } from './routes/route-errors.ts';

const root = new URL('../', import.meta.url);

const errors = await routeErrors({
  routes: ROUTES,
  files: globSync('rest-adapter/routes/**/*.ts', { cwd: fileURLToPath(root) }).sort(),
  exportsOf: async (file) => Object.values((await import(new URL(file, root).href)) as Record<string, unknown>),
  hasFile: (path) => existsSync(new URL(path, root)),
});

for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;
else console.log(`${ROUTES.length} reads have their tests and their examples`);
