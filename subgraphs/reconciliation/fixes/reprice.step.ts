/** Reprices from a day on, with the caller's rights. Corrections of closed months are booked in the first open one. */
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';

const REPRICE = graphql(`mutation RepriceForBill($input: RepricingStartInput!) {
  repricingStart(input: $input) { operation { id } userErrors { message code } }
}`);

/** Returns the id of the operation. Fails with `VALIDATION_ERROR` while another repricing of the organization runs. */
export async function repriceFrom(principal: Principal, gateway: GatewayClient, day: string): Promise<string> {
  const input = { start: startOf(day), end: now().toISOString() };
  const { repricingStart } = await askGateway(gateway, REPRICE, { input }, principal);
  return repricingStart.operation?.id ?? fail('UNPROCESSABLE_ENTITY', 'The repricing was not started');
}

/** First instant of a UTC day, as ISO 8601. */
export function startOf(day: string): string {
  return `${day}T00:00:00Z`;
}
