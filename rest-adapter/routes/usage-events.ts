import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';

const DOCUMENT = graphql('mutation IngestUsageEvent($event: JSON!) { ingestUsageEvent(event: $event) }');

/**
 * `POST /v1/usage-events`: 202 with the event's result, and a warning header above the soft limit (decision 9, D2,
 * D12).
 */
export async function ingestSingle(
  request: FastifyRequest,
  reply: FastifyReply,
  event: unknown,
  gateway: GatewayClient,
): Promise<FastifyReply> {
  const { ingestUsageEvent } = await askGateway(gateway, DOCUMENT, { event }, request.principal);
  const { result, usage_warning: warning } = ingestUsageEvent as { result: unknown; usage_warning: string | null };
  if (warning !== null) reply.header('X-Service-Usage-Warning', warning);
  return reply.code(202).send(result);
}
