/**
 * Queries a subgraph, for the query planner or for one of our own documents. Every missing field gets an error at its
 * path, whatever the response.
 */
import type { GraphQLDataSource } from '@apollo/gateway';
import type { GraphQLSchema } from 'graphql';
import { now } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import { createParser } from '#platform/transports/in-process-subgraph.ts';
import type { GraphQLAnswer, SubgraphTransport } from '#platform/transports/subgraph-transport.ts';
import type { GatewayContext } from '../apollo-gateway.ts';
import { completeAnswer, orNoAnswer } from './complete-answer.ts';
import { knownWindows } from './known-windows.ts';

export interface SubgraphClient extends GraphQLDataSource {
  executeOwn(text: string, variables: Record<string, unknown>, context: GatewayContext): Promise<GraphQLAnswer>;
}

/** `supergraphSchema` returns the schema of the supergraph currently served. */
export function askingSubgraph(supergraphSchema: () => GraphQLSchema, log: Log) {
  const parseOnce = createParser();
  return (name: string, transport: SubgraphTransport): SubgraphClient => {
    const complete = (
      answer: GraphQLAnswer,
      text: string,
      variables: Record<string, unknown>,
      context: GatewayContext,
    ): GraphQLAnswer => {
      if (!transport.isRemote && !answer.errors) return answer;
      const { principal, requestedAt } = operationOf(context);
      const document = parseOnce(text);
      const orAway = orNoAnswer(answer, document);
      const windows = isAway(orAway) ? knownWindows(text, variables, { principal, requestedAt }) : null;
      const known = windows ? { ...orAway, data: windows } : orAway;
      const completed = completeAnswer(known, { document, variables }, supergraphSchema());
      if (completed.errors && !answer.errors)
        log.error(
          { subgraph: name, paths: pathsOf(completed.errors), correlationId: principal.correlationId },
          `The subgraph ${name} returned invalid values for some fields`,
        );
      return completed;
    };
    return {
      async process({ request, context }) {
        const { query: text = '', variables = {} } = request;
        const gatewayContext = context as GatewayContext;
        const execute = gatewayContext.isOwn ? transport.executeOwn : transport.execute;
        const answer =
          gatewayContext.answered?.shift() ?? (await execute(text, variables, operationOf(gatewayContext).principal));
        return complete(answer, text, variables, gatewayContext);
      },
      async executeOwn(text, variables, context) {
        const answer = await transport.executeOwn(text, variables, operationOf(context).principal);
        return transport.isRemote ? complete(answer, text, variables, context) : answer;
      },
    };
  };
}

const LOGGED_PATHS_MAX = 5;

function pathsOf(errors: NonNullable<GraphQLAnswer['errors']>): readonly string[] {
  return errors.slice(0, LOGGED_PATHS_MAX).map(({ path }) => (path ?? []).join('.'));
}

/** Caller and time of an operation, shared by all its fetches. */
function operationOf(context: GatewayContext): NonNullable<GatewayContext['operation']> {
  if (context.operation) return context.operation;
  const requestedAt = now();
  const principal = Object.freeze({ ...context.principal, requestedAt: requestedAt.toISOString() });
  return (context.operation = { principal, requestedAt });
}

function isAway({ data, errors }: GraphQLAnswer): boolean {
  return !data && (errors?.every(({ extensions }) => extensions?.['code'] === 'SERVICE_UNAVAILABLE') ?? false);
}
