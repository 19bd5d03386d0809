/**
 * Recomputes what credits paid for and compares it with their entries, and compares the costs it is computed from with
 * the ledger.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { plain } from '#kernel/money.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { VerificationCheck } from '../credits/verify-credits.query.ts';
import { isReplaced, REPLACING, replacedScopes } from '../fixed-costs/replaced-calls.ts';
import { differencesOf } from '../provider-costs/append-differences.ts';
import { type Burn, burnCredits } from './burn-credits.ts';
import { burnKey } from './burn-settled-days.step.ts';
import { listCreditDays, needsBurn } from './provider-credit-day.table.ts';
import { listBurns } from './provider-credit-entry.table.ts';
import { listCreditRows } from './provider-credit.table.ts';

/** Maximum number of differences shown. */
const DIFFERENCES_MAX = 20;

const LIST_ORGANIZATIONS = statement<
  { organizationId: OrganizationId },
  { readonly organizationId: OrganizationId | null }
>(`
  select distinct organization_id from provider_credit
  where :organizationId::uuid is null or organization_id = :organizationId order by 1`);

const COMPARE_DAYS = statement<{ text: string }, { readonly organizationId: OrganizationId }>(`
  with ${REPLACING}
  select format('%s %s: the ledger has %s, credits were computed with %s', stored.organization_id, stored.day, trim_scale(ledger.cost), trim_scale(used.cost)) as text
  from provider_credit_day stored
  cross join lateral (
    select coalesce(sum((cell ->> 3)::numeric), 0) as cost from jsonb_array_elements(stored.costs) as cell) used
  cross join lateral (
    select coalesce(sum(total_cost), 0) as cost from cost_entry entry
    where entry.organization_id = :organizationId and entry.livemode and entry.provider_slug = any(stored.providers)
      and (entry.booked_time is null and entry.event_time >= stored.day::timestamp at time zone 'UTC'
          and entry.event_time < (stored.day + 1)::timestamp at time zone 'UTC'
        or entry.booked_time >= stored.day::timestamp at time zone 'UTC' and entry.booked_time < (stored.day + 1)::timestamp at time zone 'UTC')
      and not ${isReplaced('stored.day')}) ledger
  cross join lateral (
    select coalesce(sum(completed), 0) as events, coalesce(sum(total_cost), 0) as cost, coalesce(sum(quantity), 0) as quantity from cost_hour
    where cost_hour.organization_id = :organizationId and hour >= stored.day::timestamp at time zone 'UTC'
      and hour < (stored.day + 1)::timestamp at time zone 'UTC') counted
  where stored.organization_id = :organizationId and ledger.cost <> used.cost
    and (counted.events, counted.cost, counted.quantity) = (stored.ledger_events, stored.ledger_cost, stored.ledger_quantity)
    and stored.replaced_scopes = ${replacedScopes('stored.day')}
  order by 1 limit ${DIFFERENCES_MAX}`);

/**
 * Verifies one organization, or all that the transaction can see. Organizations whose credits are being computed are
 * skipped.
 */
export async function verifyProviderCredits(
  tx: WriteTransaction,
  organizationId: OrganizationId | null,
): Promise<VerificationCheck> {
  const differences: string[] = [];
  let checked = 0;
  for (const { organizationId: id } of await tx.all(LIST_ORGANIZATIONS, { organizationId })) {
    if (await needsBurn(tx, id)) continue;
    const credits = (await listCreditRows(tx, id)).filter(({ isRemoved }) => !isRemoved);
    const expected = burnCredits(credits, await listCreditDays(tx, id));
    checked += expected.length;
    const wrong = differencesOf<Burn>(await listBurns(tx, id), expected, burnKey);
    differences.push(
      ...wrong.map(
        ({ creditId, day, cause, amount }) => `${id} ${creditId} ${day} ${cause}: ${plain(amount)} is missing`,
      ),
      ...(await tx.all(COMPARE_DAYS, { organizationId: id })).map(({ text }) => text),
    );
  }
  return {
    check: 'provider credits = costs in the ledger that they paid for, and expired amounts',
    checked,
    differences: differences.slice(0, DIFFERENCES_MAX),
  };
}
