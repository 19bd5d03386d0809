/**
 * `npm run check:routes`: every endpoint is served, and has its contract test at the path of its URL and the example
 * that the other tests are derived from.
 */
import { existsSync, globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { EXT_ROUTES } from '../rest-adapter/ext/ext-route-table.ts';
import { ROUTES } from '../rest-adapter/route-table.ts';
import { extRouteErrors, routeErrors } from './routes/route-errors.ts';

const root = new URL('../', import.meta.url);

const filesOf = (folder: string) => globSync(`${folder}/**/*.ts`, { cwd: fileURLToPath(root) }).sort();
const project = {
  exportsOf: async (file: string) => Object.values((await import(new URL(file, root).href)) as Record<string, unknown>),
  hasFile: (path: string) => existsSync(new URL(path, root)),
};
const errors = [
  ...(await routeErrors({ ...project, routes: ROUTES, files: filesOf('rest-adapter/routes') })),
  ...(await extRouteErrors({ ...project, routes: EXT_ROUTES, files: filesOf('rest-adapter/ext/routes') })),
];

for (const error of errors) console.error(error);
if (errors.length > 0) process.exitCode = 1;
else console.log(`${ROUTES.length} reads and ${EXT_ROUTES.length} of /ext/v1 have tests and examples`);
