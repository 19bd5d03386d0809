/** Serves all routes of the table alike: parameters in, document through the gateway, response out. */
import type { FastifyInstance } from 'fastify';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { RateLimiter } from '#platform/rate-limits/rate-limit.ts';
import { askForAnswer } from './ask-for-answer.ts';
import { authenticate } from './hooks/authenticate.ts';
import { limitRate } from './hooks/limit-rate.ts';
import { requireScope } from './hooks/require-scope.ts';
import type { RawQuery } from './params/parameter.ts';
import type { Route } from './route.ts';
import type { Principal } from '#platform/principal.ts';
import type { SendAnswer } from './send-answer.ts';

export function serveRead(
  app: FastifyInstance,
  route: Route,
  gateway: GatewayClient,
  limiter: RateLimiter,
  send: SendAnswer,
): void {
  app.get<{ Querystring: RawQuery; Params: Record<string, string> }>(
    route.url,
    { onRequest: [authenticate(gateway), ...(route.scope ? [requireScope(route.scope)] : []), limitRate(limiter)] },
    async (request, reply) => {
      const variables = route.parameters.read({ query: request.query, path: request.params, now: now() });
      const answer = await readAnswer(route, variables, gateway, request.principal);
      return send(request, reply, answer);
    },
  );
}

/** The body of a route's response; MCP tools return the same. */
export async function readAnswer(
  route: Route,
  variables: Record<string, unknown>,
  gateway: GatewayClient,
  principal: Principal,
): Promise<unknown> {
  const { variant } = route;
  if (variant === undefined || variables[variant.variable] === undefined) {
    return valueAt(await askForAnswer(gateway, route.document, variables, principal), route.answer);
  }
  return (
    valueAt(await askForAnswer(gateway, variant.document, variables, principal), variant.answer) ??
    variant.answerOfNothing(variables)
  );
}

/** The value at a path of field names. */
function valueAt(data: unknown, path: readonly string[]): unknown {
  let value = data;
  for (const name of path) value = (value as Record<string, unknown> | null | undefined)?.[name];
  return value;
}
