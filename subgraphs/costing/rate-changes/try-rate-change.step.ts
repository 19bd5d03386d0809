/** Previews a rate change: applies it, prices the waiting events, and rolls everything back. */
import type { OrganizationId } from '#kernel/ids.ts';
import { plain, sum } from '#kernel/money.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { findWaitingModels, listWaitingEvents, type UnpricedEventKey } from '../ledger/unpriced-event.table.ts';
import { readPriceableEvents } from '../pricing/priceable-event.query.ts';
import { priceUsage, type UsagePrice } from '../pricing/price-usage.ts';
import { pricingCardOf } from '../pricing/pricing-card-of.ts';
import type { RateProposal } from '../resolvers.generated.ts';
import { previewRateChange } from '../rates/preview-rate-change.step.ts';
import { matchesAnyCard, resolveRateCards } from '../rates/resolve-rate-card.step.ts';

const PAGE_EVENTS = 1_000;
/** Maximum number of events tried, because a person waits for the response. */
const EVENTS_MAX = 20_000;

/** Tries a change for the caller's organization. Nothing is stored, and other transactions do not wait. */
export function tryRateChange(
  context: SubgraphContext,
  change: (tx: WriteTransaction, organizationId: OrganizationId, at: Date) => Promise<unknown>,
): Promise<RateProposal> {
  return previewRateChange(context, async (tx, organizationId, at) => {
    await change(tx, organizationId, at);
    return priceWaitingEvents(tx, organizationId);
  });
}

interface Outcome {
  readonly model: string;
  readonly provider: string | null;
  readonly price: UsagePrice;
}

/** Prices live events of models that have a card under these rates, at most {@link EVENTS_MAX}. */
async function priceWaitingEvents(tx: WriteTransaction, organizationId: OrganizationId): Promise<RateProposal> {
  const waiting = await findWaitingModels(tx, organizationId);
  const matches = await matchesAnyCard(tx, organizationId, waiting);
  const models = [...new Set(waiting.filter((_, index) => matches[index]).map(({ model }) => model))];
  const outcomes: Outcome[] = [];
  let after = GLOBAL_TENANT;
  let isComplete = models.length === 0;
  for (let looked = 0; !isComplete && looked < EVENTS_MAX; looked += PAGE_EVENTS) {
    const page = await listWaitingEvents(tx, organizationId, { models, after, max: PAGE_EVENTS });
    outcomes.push(...(await pricePage(tx, organizationId, page)));
    isComplete = page.length < PAGE_EVENTS;
    after = page.at(-1)?.eventId ?? after;
  }
  return { ...sumOf(outcomes), isComplete, models: byModel(outcomes) };
}

async function pricePage(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  page: readonly UnpricedEventKey[],
): Promise<readonly Outcome[]> {
  const ids = page.map(({ eventId }) => eventId);
  const events = (await readPriceableEvents(tx, organizationId, ids)).filter(({ livemode }) => livemode);
  const rates = await resolveRateCards(tx, organizationId, events);
  return events.flatMap((event, index): Outcome[] => {
    const rate = rates[index];
    if (!rate?.match) return [];
    return [{ model: event.model, provider: event.provider, price: priceUsage(event, pricingCardOf(rate)) }];
  });
}

function sumOf(outcomes: readonly Outcome[]) {
  const settled = outcomes.flatMap(({ price }) => (price.kind === 'waiting' ? [] : price.priced.total));
  return { events: outcomes.length, settledEvents: settled.length, totalCost: plain(sum(settled)) };
}

function byModel(outcomes: readonly Outcome[]): RateProposal['models'] {
  const groups = Map.groupBy(outcomes, ({ model, provider }) => `${provider ?? ''}\0${model}`);
  return [...groups.values()]
    .map((ofOne) => {
      const [{ model, provider }] = ofOne as [Outcome, ...Outcome[]];
      const left = ofOne.find(({ price }) => price.kind === 'waiting')?.price;
      return { model, provider, ...sumOf(ofOne), reason: left?.kind === 'waiting' ? left.reason : null };
    })
    .toSorted((one, other) => other.events - one.events || (one.model < other.model ? -1 : 1));
}
