/** The folder of the routes is the list of the API's paths. */
import { expect, test } from 'vitest';
import { ROUTES } from '../../rest-adapter/route-table.ts';
import type { Route } from '../../rest-adapter/route.ts';
import { projectFiles, projectPath } from '../support/project-files.ts';

/** The signed endpoints, the rotation and those of OAuth are no reads and so no rows of the table. */
const POSTS = ['usage-events', 'usage-events/batch', 'api-keys/id/rotate', 'oauth/token', 'oauth/device-authorization', 'oauth/register', 'oauth/revoke'].map((path) => `rest-adapter/routes/${path}.ts`);

test('every route lies at the path of its URL, and nothing else lies there', () => {
  const expected = [...ROUTES.map(fileOf), ...POSTS].sort();
  expect(projectFiles('rest-adapter/routes/')).toEqual(expected);
});

test.each(ROUTES.map((route) => [route.url, route] as const))('the file of %s holds that route', async (_, route) => {
  const exports = Object.values(await import(projectPath(fileOf(route))) as Record<string, unknown>);
  expect(exports).toEqual([route]);
});

/** `/end-user-costs/:externalId/by-model` → `end-user-costs/external-id/by-model.ts`. */
function fileOf({ url }: Route): string {
  const path = url.slice(1).replace(/:(\w+)/g, (_, name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  return `rest-adapter/routes/${path}.ts`;
}
