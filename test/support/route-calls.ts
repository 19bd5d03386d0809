/**
 * The call of every documented read's example, as REST and as the MCP tool of the same route, so that no route can be
 * left out.
 */
import { EXT_ROUTES } from '../../rest-adapter/ext/ext-route-table.ts';
import { ROUTES } from '../../rest-adapter/route-table.ts';
import type { Route } from '../../rest-adapter/route.ts';
import { usageEvent } from './usage-event.ts';

export interface RouteCall {
  readonly url: string;
  /** Below `/v1`, with its query. */
  readonly path: string;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** A call of each route, in the order of the route table. */
export const ROUTE_CALLS: readonly RouteCall[] = ROUTES.map((route) => ({
  url: route.url,
  path: pathOf(route),
  tool: route.tool,
  args: argumentsOf(route),
}));

/** The same for tools of `/ext/v1`: the body is the tool's input. */
export const EXT_TOOL_CALLS = EXT_ROUTES.flatMap(({ tool, url, example }) =>
  tool === undefined ? [] : [{ tool, path: url, body: example.body }],
);

/** An event that the examples return: within their dates, of their end user, with a value of their dimension. */
export function exampleEvent(more: object = {}): object {
  return usageEvent({
    user_id: 'customer-7',
    event_invoked_at: '2026-01-15T10:00:00Z',
    metadata: { team: 'red' },
    ...more,
  });
}

function pathOf({ url, parameters, example }: Route): string {
  const query = parameters.describe.filter(
    ({ in: place, name }) => place === 'query' && example.parameters[name] !== undefined,
  );
  const path = url.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(example.parameters[name] ?? ''));
  return query.length === 0
    ? path
    : `${path}?${new URLSearchParams(query.map(({ name }) => [name, example.parameters[name] ?? ''])).toString()}`;
}

function argumentsOf({ parameters, example }: Route): Record<string, unknown> {
  const isInteger = (name: string) =>
    parameters.describe.some((parameter) => parameter.name === name && parameter.schema['type'] === 'integer');
  return Object.fromEntries(
    Object.entries(example.parameters).map(([name, value]) => [name, isInteger(name) ? Number(value) : value]),
  );
}
