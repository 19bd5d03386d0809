/** Ledger entries of given events, as facts of the feed. */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import type { ChargeLine, CostFact } from '#schema/priced-feed.ts';
import type { TokenCounts } from '#schema/token-classes.ts';
import { selectList } from '#platform/database/columns.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { statement } from '#platform/database/statement.ts';
import { bookFact } from '../ledger/book-late.ts';
import { chargesOfEntry } from '../ledger/charge-lines.ts';
import type { CostEntryLine, ReplacedCounts } from '../ledger/cost-entry-explanation.ts';
import { COST_COLUMNS } from '../ledger/cost-entry.table.ts';
import { type CostTexts, costTexts, toCostParts } from '../ledger/cost-parts.ts';
import { PRICEABLE_COLUMNS, type PriceableRow, toPriceableEvent } from '../pricing/priceable-event.query.ts';
import { providerIdentity } from '../rates/matching/provider-identity.ts';
import { costFact } from './cost-fact.ts';
import { replacedCounts, tokenDifference } from './entry-tokens.ts';

/** Columns of `cost_entry` (as `c`) and `usage_event` (as `e`), of the organization `:organizationId`, for `toLedgerFacts`. */
export const LEDGER_FACT_COLUMNS = `
  case when c.sequence = 0 then c.pricing_context else (
    select f.pricing_context from cost_entry f
    where f.organization_id = :organizationId and f.event_id = c.event_id and f.sequence = 0) end as counted_context,
  (${replacedCounts(':organizationId')})::text as replaced_counts, c.explanation -> 'charges' as charges, c.explanation -> 'lines' as lines,
  c.sequence, c.model_slug, c.provider_slug, ${isoMicros('c.booked_time')} as booked_time, ${selectList(COST_COLUMNS, 'c')},
  ${PRICEABLE_COLUMNS}`;

export type LedgerFactRow = PriceableRow &
  CostTexts & {
    sequence: number;
    modelSlug: string;
    providerSlug: string;
    bookedTime: string | null;
    countedContext: string | null;
    replacedCounts: string | null;
    charges: readonly ChargeLine[] | null;
    lines: readonly CostEntryLine[];
  };

const READ_LEDGER_FACTS = statement<
  LedgerFactRow,
  { readonly organizationId: OrganizationId; readonly eventIds: readonly EventId[] }
>(`
    select ${LEDGER_FACT_COLUMNS}
    from cost_entry c join usage_event e on e.organization_id = c.organization_id and e.id = c.event_id
    where c.organization_id = :organizationId and c.event_id = any(:eventIds::uuid[]) and c.livemode order by c.event_id, c.sequence`);

/** All ledger entries of those events that are live. */
export async function readLedgerFacts(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  eventIds: readonly EventId[],
): Promise<CostFact[]> {
  const rows = await tx.all(READ_LEDGER_FACTS, { organizationId, eventIds });
  return rows.flatMap(toLedgerFacts);
}

export function toLedgerFacts({
  bookedTime,
  countedContext,
  replacedCounts: counts,
  charges,
  lines,
  ...row
}: LedgerFactRow): CostFact[] {
  const event = toPriceableEvent(row);
  const costs = costTexts(toCostParts(row));
  const { totalCost } = costs;
  const fact = costFact({
    event,
    sequence: row.sequence,
    modelSlug: row.modelSlug,
    provider: providerIdentity(event.provider, row.providerSlug, null),
    costs,
    charges: chargesOfEntry({ charges, lines, totalCost }, countedContext ?? ''),
    pricingContext: countedContext ?? '',
    tokens: counts === null ? null : tokensOfEntry(row.sequence, JSON.parse(counts) as ReplacedCounts),
  });
  return bookFact(fact, bookedTime, row.sequence === 0 || counts !== null);
}

function tokensOfEntry(sequence: number, counts: ReplacedCounts): TokenCounts {
  return sequence === 0 ? counts.before : tokenDifference(counts);
}
