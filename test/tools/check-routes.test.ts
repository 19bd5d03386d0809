import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { noParameters } from '../../rest-adapter/params/parameter.ts';
import { pathParameter } from '../../rest-adapter/params/text-parameter.ts';
import { price } from '../../rest-adapter/ext/routes/price.ts';
import type { Route } from '../../rest-adapter/route.ts';
import { ROUTES } from '../../rest-adapter/route-table.ts';
import { extRouteErrors, routeErrors, type RouteProject } from '../../tools/routes/route-errors.ts';
import { projectFiles, projectPath } from '../support/project-files.ts';

const [first] = ROUTES as readonly [Route];
const route: Route = {
  ...first,
  url: '/cost-data/by-feature',
  operationId: 'getCostByFeature',
  tool: 'get_cost_by_feature',
};
const FILE = 'rest-adapter/routes/cost-data/by-feature.ts';

const errorsOf = (changed: Partial<Route>, more: Partial<RouteProject> = {}) => {
  const changedRoute = { ...route, ...changed };
  return routeErrors({
    routes: [changedRoute],
    files: [FILE],
    exportsOf: async () => [changedRoute],
    hasFile: () => true,
    ...more,
  });
};

it('the check finds nothing in this service', async () => {
  const files = projectFiles('rest-adapter/routes/');
  const exportsOf = async (file: string) => Object.values((await import(projectPath(file))) as Record<string, unknown>);
  expect(
    await routeErrors({ routes: ROUTES, files, exportsOf, hasFile: (path) => existsSync(projectPath(path)) }),
  ).toEqual([]);
  expect(files.length).toBeGreaterThan(ROUTES.length);
});

it('the check names what an endpoint of /ext/v1 lacks', async () => {
  const file = 'rest-adapter/ext/routes/price.ts';
  const project = { files: [file], exportsOf: async () => [price], hasFile: () => true };
  expect(await extRouteErrors({ ...project, routes: [price] })).toEqual([]);
  expect(await extRouteErrors({ ...project, routes: [] })).toEqual([
    expect.stringMatching(/add priceCall to EXT_ROUTES/),
  ]);
  expect(await extRouteErrors({ ...project, routes: [price], hasFile: () => false })).toEqual([
    expect.stringMatching(/create test\/rest\/ext\/price.test.ts/),
  ]);
  expect(await extRouteErrors({ ...project, routes: [price], files: ['rest-adapter/ext/routes/cost.ts'] })).toEqual([
    expect.stringMatching(/move it to rest-adapter\/ext\/routes\/price.ts/),
  ]);
});

describe('the check of routes', () => {
  it('reports a route without a contract test', async () => {
    expect(await errorsOf({}, { hasFile: () => false })).toEqual([
      `${FILE} has no contract test: create test/rest/cost-data/by-feature.test.ts, using only HTTP, with one describe for each status`,
    ]);
  });

  it('reports a route that is not in the table, or is at another path', async () => {
    expect(await errorsOf({}, { routes: [] })).toEqual([
      `${FILE} is not served: add getCostByFeature to ROUTES in rest-adapter/route-table.ts`,
    ]);
    expect(await errorsOf({ url: '/cost-data/:someKey/by-feature' })).toEqual([
      `${FILE} answers /cost-data/:someKey/by-feature: move it to rest-adapter/routes/cost-data/some-key/by-feature.ts`,
    ]);
  });

  it('reports a route without an example', async () => {
    expect(await errorsOf({ example: undefined as never })).toEqual([
      expect.stringMatching(/by-feature\.ts has no example: add `example: \{ parameters, response \}`/),
    ]);
  });

  it('reports a route without a tenancy case', async () => {
    const parameters = { ...pathParameter('feature', 'feature', 'A feature.'), variables: [] };
    expect(await errorsOf({ parameters })).toEqual([
      `${FILE} has no tenancy case: give feature a value in example.parameters, which the tenancy and MCP tests send`,
    ]);
  });

  it('reports an example that the route itself refuses or does not contain', async () => {
    const parameters = {
      ...noParameters,
      read: () => {
        throw new Error('limit must be a whole number');
      },
    };
    expect(await errorsOf({ parameters })).toEqual([`${FILE} rejects its own example: limit must be a whole number`]);
    expect(await errorsOf({ example: { parameters: { colour: 'red' }, response: {} } })).toEqual([
      `${FILE} takes no parameter colour: remove it from example.parameters`,
    ]);
  });

  it('reports a variable that is only in its document, or only in its parameters', async () => {
    expect(await errorsOf({ parameters: { ...noParameters, variables: ['metricNam'] } })).toEqual([
      `${FILE}: its document does not use the variable $metricNam, which a parameter sets`,
    ]);
    const document = 'query A($start: Instant!) { window(start: $start, end: $start) { start } }' as never;
    expect(await errorsOf({ document })).toEqual([`${FILE}: no parameter sets the variable $start of its document`]);
  });

  it('reports a name that two routes have', async () => {
    const other = { ...route, url: '/cost-data/by-colour' as const };
    expect(await errorsOf({}, { routes: [route, other], exportsOf: async () => [] })).toEqual([
      'two routes have the operationId getCostByFeature: change one of them',
      'two routes have the tool get_cost_by_feature: change one of them',
    ]);
  });
});
