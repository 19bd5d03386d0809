/**
 * Recomputes spend and shortfalls of commitments and compares them with their entries, and compares the costs they are
 * computed from with the ledger.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { plain } from '#kernel/money.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { VerificationCheck } from '../credits/verify-credits.query.ts';
import { isReplaced, REPLACING, replacedScopes } from '../fixed-costs/replaced-calls.ts';
import { differencesOf } from '../provider-costs/append-differences.ts';
import { listCommitmentDays, needsComputing } from './commitment-day.table.ts';
import { listBookedAmounts } from './commitment-entry.table.ts';
import { listCommitmentRows } from './commitment.table.ts';
import { type AmountOfCommitment, commitmentKey, computedAmounts } from './compute-commitments.step.ts';

/** Maximum number of differences shown. */
const DIFFERENCES_MAX = 20;

const LIST_ORGANIZATIONS = statement<
  { organizationId: OrganizationId },
  { readonly organizationId: OrganizationId | null }
>(`
  select distinct organization_id from commitment
  where :organizationId::uuid is null or organization_id = :organizationId order by 1`);

/**
 * Compares days whose counters match those of the ledger, and whose replaced calls match the fixed costs. An
 * explanation's line states a model only if it differs from the event's.
 */
const COMPARE_DAYS = statement<{ text: string }, { readonly organizationId: OrganizationId }>(`
  with ${REPLACING}
  select format('%s %s %s: the ledger has %s, the commitment was computed with %s', stored.organization_id, stored.commitment_id, stored.day,
    trim_scale(ledger.cost), trim_scale(stored.spent)) as text
  from commitment_day stored
  cross join lateral (
    select coalesce(sum(case when line.value is null then entry.total_cost when entry.explanation -> 'charges' is null then (line.value ->> 4)::numeric
      else (line.value ->> 2)::numeric end), 0) as cost
    from cost_entry entry
    left join lateral json_array_elements(coalesce(entry.explanation -> 'charges', entry.explanation -> 'lines')) as line (value) on true
    where entry.organization_id = :organizationId and entry.livemode and entry.provider_slug = stored.provider_slug
      and (entry.booked_time is null and entry.event_time >= stored.day::timestamp at time zone 'UTC'
          and entry.event_time < (stored.day + 1)::timestamp at time zone 'UTC'
        or entry.booked_time >= stored.day::timestamp at time zone 'UTC' and entry.booked_time < (stored.day + 1)::timestamp at time zone 'UTC')
      and (stored.models is null or exists (select 1 from unnest(stored.models) as name
        where lower(coalesce(line.value ->> 6, entry.model_slug)) = name
          or name like '%*' and starts_with(lower(coalesce(line.value ->> 6, entry.model_slug)), rtrim(name, '*'))))
      and not ${isReplaced('stored.day')}) ledger
  cross join lateral (
    select coalesce(sum(completed), 0) as events, coalesce(sum(total_cost), 0) as cost, coalesce(sum(quantity), 0) as quantity from cost_hour
    where cost_hour.organization_id = :organizationId and hour >= stored.day::timestamp at time zone 'UTC'
      and hour < (stored.day + 1)::timestamp at time zone 'UTC') counted
  where stored.organization_id = :organizationId and ledger.cost <> stored.spent
    and (counted.events, counted.cost, counted.quantity) = (stored.ledger_events, stored.ledger_cost, stored.ledger_quantity)
    and stored.replaced_scopes = ${replacedScopes('stored.day')}
  order by 1 limit ${DIFFERENCES_MAX}`);

/**
 * Verifies one organization, or all that the transaction can see. Organizations whose commitments are being computed
 * are skipped.
 */
export async function verifyCommitments(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
): Promise<VerificationCheck> {
  const differences: string[] = [];
  let checked = 0;
  for (const { organizationId: id } of await tx.all(LIST_ORGANIZATIONS, { organizationId })) {
    if (await needsComputing(tx, id)) continue;
    const expected = computedAmounts(await listCommitmentRows(tx, id), await listCommitmentDays(tx, id));
    checked += expected.length;
    const wrong = differencesOf<AmountOfCommitment>(await listBookedAmounts(tx, id), expected, commitmentKey);
    differences.push(
      ...wrong.map(
        ({ commitmentId, day, cause, amount }) => `${id} ${commitmentId} ${day} ${cause}: ${plain(amount)} is missing`,
      ),
      ...(await tx.all(COMPARE_DAYS, { organizationId: id })).map(({ text }) => text),
    );
  }
  return {
    check: 'commitments = spend in the ledger, and amounts missing at the end of periods',
    checked,
    differences: differences.slice(0, DIFFERENCES_MAX),
  };
}
