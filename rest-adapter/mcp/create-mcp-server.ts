/**
 * The MCP server of one request: a read-only tool for every documented GET and every read of `/ext/v1`, generated from
 * the route tables.
 */
import { fromJsonSchema, McpServer, requireScopes } from '@modelcontextprotocol/server';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { fail, KnownError, retryAfterSeconds } from '#kernel/errors.ts';
import { joinPieces, printInSlices } from '#platform/print-in-slices.ts';
import type { ExtRoute } from '../ext/ext-route.ts';
import { EXT_ROUTES } from '../ext/ext-route-table.ts';
import { ROUTES } from '../route-table.ts';
import type { Route } from '../route.ts';
import { readAnswer } from '../serve-read.ts';

export interface McpDependencies {
  readonly gateway: GatewayClient;
  /** Called for internal errors, never for callers' errors. */
  readonly logError: (error: unknown, correlationId: string) => void;
}

const INSTRUCTIONS =
  'Costs, usage and margins of an AI product. Amounts are exact decimal strings in USD. Ranges are start_date (inclusive) to end_date (exclusive), UTC.';

export function createMcpServer(principal: Principal, dependencies: McpDependencies): McpServer {
  // The list of tools never changes. Clients that subscribe to changes are told so, and the stream then ends.
  const capabilities = { tools: { listChanged: false } };
  const server = new McpServer(
    { name: 'usage-cost-and-margin', version: '1.0.0' },
    { instructions: INSTRUCTIONS, capabilities },
  );
  const register = (
    name: string,
    {
      summary,
      description,
      scope,
      orScope,
    }: Pick<Route | ExtRoute, 'summary' | 'description' | 'scope'> & Pick<ExtRoute, 'orScope'>,
    inputSchema: object,
    answer: (input: Record<string, unknown>) => Promise<unknown>,
  ) =>
    server.registerTool(
      name,
      {
        title: summary,
        description: [
          summary,
          description,
          scope ? `Requires the scope ${[scope, orScope].filter(Boolean).join(' or ')}.` : null,
        ]
          .filter(Boolean)
          .join('. '),
        inputSchema: checkedBy(name, inputSchema),
        annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
        // A challenge requires every scope it names. A tool that accepts either of two scopes returns an error instead.
        ...(scope && orScope === undefined ? { scopeChallenge: requireScopes(scope) } : {}),
      },
      (input) => callTool(() => answer(input), principal, dependencies),
    );
  const { gateway } = dependencies;
  for (const route of ROUTES)
    register(route.tool, route, inputSchema(route), (input) => {
      const values = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, String(value)]));
      const variables = route.parameters.read({ query: values, path: values, now: now() });
      return readAnswer(route, variables, gateway, principal);
    });
  for (const route of EXT_ROUTES)
    if (route.tool !== undefined)
      register(route.tool, route, route.body, (input) => route.answer(input, { gateway, principal }));
  return server;
}

type InputCheck = ReturnType<typeof fromJsonSchema<Record<string, unknown>>>;

/** Compiled once per tool: compiling all of them takes six milliseconds, too long for every request. */
const inputChecks = new Map<string, InputCheck>();

function checkedBy(tool: string, schema: object): InputCheck {
  const check = inputChecks.get(tool) ?? fromJsonSchema<Record<string, unknown>>(schema);
  inputChecks.set(tool, check);
  return check;
}

/**
 * Maximum length of a response: more than an agent reads. It limits our own work, since the response is parsed and
 * printed once more.
 */
const ANSWER_CHARACTERS_MAX = 4 * 1024 * 1024;

/** Returns the REST body unchanged, or an error with its code, message and correlation id. */
async function callTool(answer: () => Promise<unknown>, principal: Principal, { logError }: McpDependencies) {
  try {
    const text = joinPieces(await printInSlices(await answer()));
    if (text.length > ANSWER_CHARACTERS_MAX)
      fail('UNPROCESSABLE_ENTITY', 'The result is too long for a tool: use the REST API, or request less');
    return {
      content: [{ type: 'text' as const, text }],
      structuredContent: JSON.parse(text) as Record<string, unknown>,
    };
  } catch (error) {
    if (!(error instanceof KnownError)) logError(error, principal.correlationId);
    const { code, message, details } =
      error instanceof KnownError ? error : new KnownError('INTERNAL_SERVER_ERROR', 'Internal server error');
    const wait = retryAfterSeconds({ code, details });
    const hints = { ...details, ...(wait === null ? {} : { retry_after_seconds: wait }) };
    const body = {
      code,
      message,
      correlationId: principal.correlationId,
      ...(Object.keys(hints).length > 0 ? { details: hints } : {}),
    };
    return { isError: true, content: [{ type: 'text' as const, text: JSON.stringify(body) }] };
  }
}

function inputSchema(route: Route) {
  const { describe } = route.parameters;
  return {
    type: 'object' as const,
    properties: Object.fromEntries(describe.map(({ name, schema, description }) => [name, { ...schema, description }])),
    required: describe.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}
