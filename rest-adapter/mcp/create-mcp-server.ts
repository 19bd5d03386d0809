/** The MCP server of one request: a read-only tool for every documented GET, made of the route table. */
import { fromJsonSchema, McpServer, requireScopes } from '@modelcontextprotocol/server';
import { now } from '../../platform/clock.ts';
import type { GatewayClient } from '../../platform/gateway-client.ts';
import type { Principal } from '../../platform/principal.ts';
import { fail, KnownError, retryAfterSeconds } from '../../schema/errors.ts';
import { printInSlices } from '../../platform/print-in-slices.ts';
import { ROUTES } from '../route-table.ts';
import type { Route } from '../route.ts';
import { readAnswer } from '../serve-read.ts';

export interface McpDependencies {
  readonly gateway: GatewayClient;
  /** Told about internal errors, never about a caller's. */
  readonly logError: (error: unknown, correlationId: string) => void;
}

const INSTRUCTIONS =
  'Costs, usage and margins of an AI product. Amounts are exact decimal strings in USD. Ranges are start_date (inclusive) to end_date (exclusive), UTC.';

export function createMcpServer(principal: Principal, dependencies: McpDependencies): McpServer {
  // The tools never change: a client that listens for changes is told so, and its stream ends.
  const capabilities = { tools: { listChanged: false } };
  const server = new McpServer(
    { name: 'usage-cost-and-margin', version: '1.0.0' },
    { instructions: INSTRUCTIONS, capabilities },
  );
  for (const route of ROUTES) {
    server.registerTool(
      route.tool,
      {
        title: route.summary,
        description: [route.summary, route.description, route.scope ? `Needs the scope ${route.scope}.` : null]
          .filter(Boolean)
          .join('. '),
        inputSchema: fromJsonSchema<Record<string, unknown>>(inputSchema(route)),
        annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
        ...(route.scope ? { scopeChallenge: requireScopes(route.scope) } : {}),
      },
      (input) => callTool(route, input, principal, dependencies),
    );
  }
  return server;
}

/** An agent reads no more; ours, as it is parsed and printed once more. */
const ANSWER_CHARACTERS_MAX = 4 * 1024 * 1024;

/** The REST body unchanged, or an error with its code, message and correlation id. */
async function callTool(
  route: Route,
  input: Record<string, unknown>,
  principal: Principal,
  { gateway, logError }: McpDependencies,
) {
  try {
    const values = Object.fromEntries(Object.entries(input).map(([name, value]) => [name, String(value)]));
    const variables = route.parameters.read({ query: values, path: values, now: now() });
    const text = (await printInSlices(await readAnswer(route, variables, gateway, principal))).join('');
    if (text.length > ANSWER_CHARACTERS_MAX)
      fail('UNPROCESSABLE_ENTITY', 'The answer is too long for a tool: ask for it by REST, or for less');
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
