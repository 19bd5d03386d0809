import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';

const DOCUMENT = graphql('mutation IngestUsageEvents($events: JSON!) { ingestUsageEvents(events: $events) }');

/** `POST /v1/usage-events/batch`: 202 with a result for each item, even if all are rejected. */
export async function ingestBatch(
  request: FastifyRequest,
  reply: FastifyReply,
  events: unknown,
  gateway: GatewayClient,
): Promise<FastifyReply> {
  const { ingestUsageEvents } = await askGateway(gateway, DOCUMENT, { events }, request.principal);
  return reply.code(202).send(ingestUsageEvents);
}
