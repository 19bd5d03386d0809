/** Previews what repricing with an agreement would change in booked costs: applies it, reprices, and rolls back. */
import type { OrganizationId } from '#kernel/ids.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { previewRateChange } from '../rates/preview-rate-change.step.ts';
import { changesOf, repricingOf, sumByModelAndDay } from '../repricing/repricing-result.ts';
import { repricePage } from '../repricing/reprice.step.ts';
import type { RepricedDay } from '../repricing/corrections.step.ts';
import type { RepricingCursor, RepricingOrder } from '../repricing/repricing.table.ts';
import type { AgreementProposal, AgreementSaveInput } from '../resolvers.generated.ts';
import type { Agreement } from '../rates/discounts/agreement.table.ts';
import { parseAgreement } from './parse-agreement.ts';
import { writeAgreement } from './write-agreement.step.ts';

/** Maximum number of events tried, because a person waits for the response. */
const EVENTS_MAX = 20_000;

/** Stores nothing. Fails like `agreementSave`. */
export async function proposeAgreement(
  context: SubgraphContext,
  input: AgreementSaveInput,
): Promise<AgreementProposal> {
  const draft = parseAgreement(input);
  return previewRateChange(context, async (tx, organizationId, at) => {
    const { before, ...written } = await writeAgreement(tx, organizationId, draft, at);
    return repriceBooked(tx, organizationId, orderOf(before === null ? [written] : [before, written], at));
  });
}

/** The period to reprice: all days of the agreement before and after the change, up to now. */
function orderOf(agreements: readonly Pick<Agreement, 'fromDay' | 'untilDay'>[], at: Date): RepricingOrder {
  const present = at.toISOString();
  const ends = agreements.map(({ untilDay }) => (untilDay === null ? present : `${untilDay}T00:00:00Z`)).toSorted();
  const [start = present] = agreements.map(({ fromDay }) => `${fromDay}T00:00:00Z`).toSorted();
  const [end = present] = [present, ends.at(-1) ?? present].toSorted();
  return { start, end, model: null, reverts: null };
}

async function repriceBooked(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  order: RepricingOrder,
): Promise<AgreementProposal> {
  await liftTimeLimit(tx);
  let changed: RepricedDay[] = [];
  let after: RepricingCursor = null;
  let looked = 0;
  do {
    const page = await repricePage(tx, organizationId, order, after);
    changed = sumByModelAndDay([...changed, ...changesOf(page.corrections)]);
    looked += page.looked;
    after = page.place;
  } while (after !== null && looked < EVENTS_MAX);
  const { events, difference, byModel } = repricingOf(null, changed);
  return {
    start: new Date(order.start),
    end: new Date(order.end),
    events,
    difference,
    byModel,
    isComplete: after === null,
  };
}
