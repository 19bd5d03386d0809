/** Maximum cost of a call that is about to be made: priced like an event, at the organization's current rates. */
import type { OrganizationId } from '#kernel/ids.ts';
import { plain } from '#kernel/money.ts';
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { fail } from '#kernel/errors.ts';
import { byTokens } from '#schema/token-classes.ts';
import { pricingCardOf } from '../pricing/pricing-card-of.ts';
import { priceUsage } from '../pricing/price-usage.ts';
import { resolveRateCards } from '../rates/resolve-rate-card.step.ts';
import type { CallEstimate } from './parse-spend.ts';

/**
 * Returns USD as plain text. Fails with `VALIDATION_ERROR` if no rate prices the call; the caller must then state an
 * amount.
 */
export async function priceCall(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { model, provider, inputTokens, outputTokens }: CallEstimate,
): Promise<string> {
  const usage = {
    ...byTokens<number, number | null>(() => null),
    inputTokens,
    outputTokens,
    costOverride: null,
    units: null,
    metadata: null,
    providerUsage: null,
    provider,
    model,
    eventTimeMs: now().getTime(),
  };
  const [rate] = await resolveRateCards(tx, organizationId, [usage]);
  const price = priceUsage(usage, pricingCardOf(rate ?? { match: null }));
  if (price.kind === 'waiting') return refuse(model, price.reason);
  if (price.priced.charges.length === 0) return refuse(model, 'The call has no tokens');
  return plain(price.priced.total);
}

function refuse(model: string, reason: string): never {
  return fail('VALIDATION_ERROR', `model "${model}" cannot be priced by its tokens, send amount instead. ${reason}`);
}
