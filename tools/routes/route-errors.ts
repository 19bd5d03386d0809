/**
 * Checks an endpoint of the REST API: its location, its contract test, and the example that all other tests are
 * derived from.
 */
import { parse, visit } from 'graphql';
import type { ExtRoute } from '../../rest-adapter/ext/ext-route.ts';
import type { Route } from '../../rest-adapter/route.ts';

export interface RouteProject {
  readonly routes: readonly Route[];
  /** Paths of the files below `rest-adapter/routes/`, from the root. */
  readonly files: readonly string[];
  exportsOf(file: string): Promise<readonly unknown[]>;
  hasFile(path: string): boolean;
}

const FOLDER = 'rest-adapter/routes/';

/** One sentence per fault, with its fix. */
export async function routeErrors({ routes, files, exportsOf, hasFile }: RouteProject): Promise<string[]> {
  const errors: string[] = [];
  for (const file of files) {
    const test = `test/rest/${file.slice(FOLDER.length, -'.ts'.length)}.test.ts`;
    if (!hasFile(test))
      errors.push(`${file} has no contract test: create ${test}, using only HTTP, with one describe for each status`);
    for (const route of (await exportsOf(file)).filter(isRoute)) {
      if (!routes.includes(route))
        errors.push(`${file} is not served: add ${route.operationId} to ROUTES in rest-adapter/route-table.ts`);
      else if (fileOf(route) !== file) errors.push(`${file} answers ${route.url}: move it to ${fileOf(route)}`);
    }
  }
  for (const route of routes) errors.push(...exampleErrors(route), ...variableErrors(route));
  for (const member of ['url', 'operationId', 'tool'] as const) {
    const taken = routes.map((route) => route[member]).filter((name, index, all) => all.indexOf(name) !== index);
    errors.push(...taken.map((name) => `two routes have the ${member} ${name}: change one of them`));
  }
  return errors;
}

const EXT_FOLDER = 'rest-adapter/ext/routes/';

/** Errors in the routes of `/ext/v1`; `files` are those below `rest-adapter/ext/routes/`. */
export async function extRouteErrors({
  routes,
  files,
  exportsOf,
  hasFile,
}: Omit<RouteProject, 'routes'> & { readonly routes: readonly ExtRoute[] }): Promise<string[]> {
  const errors: string[] = [];
  for (const file of files) {
    const test = `test/rest/ext/${file.slice(EXT_FOLDER.length, -'.ts'.length)}.test.ts`;
    if (!hasFile(test))
      errors.push(`${file} has no contract test: create ${test}, using only HTTP, with one describe for each status`);
    for (const route of (await exportsOf(file)).filter(isExtRoute)) {
      const place = `${EXT_FOLDER}${route.url.slice(1)}.ts`;
      if (!routes.includes(route))
        errors.push(
          `${file} is not served: add ${route.operationId} to EXT_ROUTES in rest-adapter/ext/ext-route-table.ts`,
        );
      else if (place !== file) errors.push(`${file} answers /ext/v1${route.url}: move it to ${place}`);
    }
  }
  return errors;
}

function isExtRoute(value: unknown): value is ExtRoute {
  return typeof value === 'object' && value !== null && 'operationId' in value && 'spends' in value;
}

/** `/end-user-costs/:externalId/by-model` → `rest-adapter/routes/end-user-costs/external-id/by-model.ts`. */
function fileOf({ url }: Pick<Route, 'url'>): string {
  const path = url
    .slice(1)
    .replace(/:(\w+)/g, (_, name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  return `${FOLDER}${path}.ts`;
}

/** OpenAPI shows the example, and the tests of tenancy and MCP make its call. */
function exampleErrors(route: Route): string[] {
  const file = fileOf(route);
  // May be missing in a file that has not been type-checked.
  const example = route.example as Route['example'] | undefined;
  if (!example)
    return [
      `${file} has no example: add \`example: { parameters, response }\`, which OpenAPI shows and the tenancy and MCP tests call`,
    ];
  const names = route.parameters.describe.map(({ name }) => name);
  const missing = route.parameters.describe.filter(
    ({ name, required }) => required && example.parameters[name] === undefined,
  );
  const unknown = Object.keys(example.parameters).filter((name) => !names.includes(name));
  const errors = [
    ...missing.map(
      ({ name }) =>
        `${file} has no tenancy case: give ${name} a value in example.parameters, which the tenancy and MCP tests send`,
    ),
    ...unknown.map((name) => `${file} takes no parameter ${name}: remove it from example.parameters`),
  ];
  if (errors.length > 0) return errors;
  try {
    route.parameters.read({
      query: example.parameters,
      path: example.parameters,
      now: new Date('2026-03-01T00:00:00Z'),
    });
    return [];
  } catch (error) {
    return [`${file} rejects its own example: ${(error as Error).message}`];
  }
}

/**
 * Variables that no parameter sets, and parameters that no document uses. Both would otherwise be omitted silently.
 */
function variableErrors(route: Route): string[] {
  const file = fileOf(route);
  const input = new Set([...route.parameters.variables]);
  const taken = new Set<string>();
  for (const document of [route.document, ...(route.variant ? [route.variant.document] : [])]) {
    visit(parse(document), {
      VariableDefinition: ({ variable }) => {
        taken.add(variable.name.value);
      },
    });
  }
  return [
    ...[...taken]
      .filter((name) => !input.has(name))
      .map((name) => `${file}: no parameter sets the variable $${name} of its document`),
    ...[...input]
      .filter((name) => !taken.has(name))
      .map((name) => `${file}: its document does not use the variable $${name}, which a parameter sets`),
  ];
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'operationId' in value && 'url' in value;
}
