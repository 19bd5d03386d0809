/** Registers the gateway's routes on an HTTP server. */
import type { FastifyInstance } from 'fastify';
import { createGraphqlServer } from './graphql-server.ts';
import { graphqlRoute, type GraphqlRouteOptions } from './graphql-route.ts';
import type { Log } from '#platform/log.ts';

export async function gatewayRoutes(
  app: FastifyInstance,
  options: Omit<GraphqlRouteOptions, 'server'> & { log: Log },
): Promise<{ stop(): Promise<void> }> {
  const server = await createGraphqlServer(options);
  await graphqlRoute(app, { ...options, server });
  return { stop: () => server.stop() };
}
