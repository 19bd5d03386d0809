/** Waits until what was sent is priced and shows in every breakdown. */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '../platform/clock.ts';
import type { OperatorGateway } from '../platform/operator-gateway.ts';
import { graphql } from '../schema/graphql.ts';

const TIMEOUT_SECONDS = 120;
const LOOK_EVERY_MILLISECONDS = 200;

/** False when it takes too long: the rest follows by itself. */
export async function settle(gateway: OperatorGateway, organizationId: string): Promise<boolean> {
  const until = elapsedMilliseconds() + TIMEOUT_SECONDS * 1000;
  while (elapsedMilliseconds() < until) {
    const { pricingBacklog, attributionLag } = await gateway.ask(
      graphql('query Backlog { pricingBacklog { pendingEvents feedLag } attributionLag { batches } }'), {}, organizationId);
    if (pricingBacklog.pendingEvents === 0 && pricingBacklog.feedLag === 0 && attributionLag.batches === 0) return true;
    await pause(LOOK_EVERY_MILLISECONDS);
  }
  return false;
}
