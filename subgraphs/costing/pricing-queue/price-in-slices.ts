/** Prices many events in slices, so that requests are served in between. */
import { mapInSlices } from '#platform/slices.ts';
import { PRICING_SLICE_EVENTS } from '../config.ts';
import { seenEndUsers } from '../feed/seen-end-users.ts';
import type { ResolvedRate } from '../rates/resolved-rate.ts';
import type { PriceableEvent } from '../pricing/priceable-event.query.ts';
import { priceBatch, type PricedBatchOutcome } from './price-batch.ts';

/** `rates` are in the order of `events`. Same result as `priceBatch`. */
export async function priceInSlices(
  events: readonly PriceableEvent[],
  rates: readonly ResolvedRate[],
): Promise<PricedBatchOutcome> {
  const starts = Array.from(
    { length: Math.ceil(events.length / PRICING_SLICE_EVENTS) },
    (_, index) => index * PRICING_SLICE_EVENTS,
  );
  const parts = await mapInSlices(starts, (start) =>
    priceBatch(events.slice(start, start + PRICING_SLICE_EVENTS), rates.slice(start, start + PRICING_SLICE_EVENTS)),
  );
  return {
    entries: parts.flatMap(({ entries }) => entries),
    unpriced: parts.flatMap(({ unpriced }) => unpriced),
    hours: parts.flatMap(({ hours }) => hours),
    facts: parts.flatMap(({ facts }) => facts),
    endUsers: seenEndUsers(events),
    errors: parts.flatMap(({ errors }) => errors),
  };
}
