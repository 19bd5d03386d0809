/** Previews what repricing with an agreement would change in booked costs: applies it, reprices, and rolls back. */
import { now } from '#platform/clock.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { markRateChange } from '../rates/rate-generation.table.ts';
import { sumByModelAndDay, repricingOf } from '../repricing/repricing-result.ts';
import { repricePage } from '../repricing/reprice.step.ts';
import type { RepricedDay } from '../repricing/corrections.step.ts';
import type { RepricingCursor, RepricingOrder } from '../repricing/repricing.table.ts';
import type { AgreementProposal, AgreementSaveInput } from '../resolvers.generated.ts';
import { type AgreementDraft, parseAgreement } from './parse-agreement.ts';
import { writeAgreement } from './write-agreement.step.ts';

/** Maximum number of events tried, because a person waits for the response. */
const EVENTS_MAX = 20_000;

/** Thrown to roll back the transaction and carry its result out. */
class Found extends Error {
  readonly proposal: AgreementProposal;

  constructor(proposal: AgreementProposal) {
    super('Rolled back as intended');
    this.proposal = proposal;
  }
}

/** Stores nothing. Fails like `agreementSave`. */
export async function proposeAgreement(
  context: SubgraphContext,
  input: AgreementSaveInput,
): Promise<AgreementProposal> {
  const organizationId = organizationOf(context);
  const draft = parseAgreement(input);
  const at = now();
  try {
    return await context.database.system(async (tx): Promise<AgreementProposal> => {
      await markRateChange(tx, organizationId, at);
      await writeAgreement(tx, organizationId, draft, at);
      throw new Found(await repriceBooked(tx, organizationId, orderOf(draft, at)));
    });
  } catch (error) {
    if (error instanceof Found) return error.proposal;
    throw error;
  }
}

/** The days of the agreement up to now, which may be none. */
function orderOf({ fromDay, untilDay }: AgreementDraft, at: Date): RepricingOrder {
  const [start, end] = [`${fromDay}T00:00:00Z`, untilDay === null ? null : `${untilDay}T00:00:00Z`];
  const today = at.toISOString();
  return { start, end: end !== null && end < today ? end : today, model: null, reverts: null };
}

async function repriceBooked(
  tx: WriteTransaction,
  organizationId: string,
  order: RepricingOrder,
): Promise<AgreementProposal> {
  let changed: RepricedDay[] = [];
  let after: RepricingCursor = null;
  let looked = 0;
  do {
    const page = await repricePage(tx, organizationId, order, after);
    changed = sumByModelAndDay([
      ...changed,
      ...page.corrections.map(({ standing, parts }) => ({
        modelSlug: standing.modelSlug,
        day: standing.event.eventTime.slice(0, 10),
        events: 1,
        difference: parts.total,
      })),
    ]);
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
