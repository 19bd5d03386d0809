/** Charges that were booked after the month of their event was closed, by the day of the event and the day of the booking. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Window } from '#kernel/time/window.ts';
import { statement } from '#platform/database/statement.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { OVERRIDE } from './charge-lines.ts';

export interface LateCharge {
  /** `2026-10-31` */
  readonly eventDay: string;
  readonly bookedDay: string;
  /** As reported; null if the event does not name a provider. */
  readonly reported: string | null;
  readonly providerSlug: string;
  readonly model: string;
  readonly context: string;
  readonly chargeClass: string;
  readonly unit: string;
  /** USD, as text. */
  readonly amount: string;
  readonly listAmount: string;
}

/** The lines of an entry, like `chargesOfEntry`: class, quantity, amount, list amount, unit, context, model. */
const CHARGES = `(
  select charge from json_array_elements(c.explanation -> 'charges') as charge
  union all
  select json_build_array(line ->> 0, line ->> 1, line ->> 4, null, case when line ->> 3 = '1' then line ->> 0 end,
    case when c.sequence = 0 then c.pricing_context else (
      select f.pricing_context from cost_entry f
      where f.organization_id = :organizationId and f.event_id = c.event_id and f.sequence = 0) end, line ->> 6)
  from json_array_elements(c.explanation -> 'lines') as line where c.explanation -> 'charges' is null
  union all
  select json_build_array('${OVERRIDE}', '0', c.total_cost::text, null, '${OVERRIDE}')
  where c.explanation -> 'charges' is null and json_array_length(c.explanation -> 'lines') = 0 and c.total_cost <> 0)`;

const dayOf = (column: string) => `to_char(c.${column} at time zone 'UTC', 'YYYY-MM-DD')`;

const LATE = statement<
  LateCharge,
  { readonly organizationId: OrganizationId; readonly start: string; readonly end: string; readonly max: number }
>(`
  select ${dayOf('event_time')} as event_day, ${dayOf('booked_time')} as booked_day, e.provider as reported, c.provider_slug,
    coalesce(charge ->> 6, c.model_slug) as model, coalesce(charge ->> 5, '') as context, charge ->> 0 as charge_class,
    coalesce(charge ->> 4, 'token') as unit, trim_scale(sum((charge ->> 2)::numeric))::text as amount,
    trim_scale(sum(coalesce(charge ->> 3, charge ->> 2)::numeric))::text as list_amount
  from cost_entry c
  join usage_event e on e.organization_id = c.organization_id and e.id = c.event_id
  cross join lateral ${CHARGES} as charges
  where c.organization_id = :organizationId and c.livemode and c.booked_time is not null
    and (c.event_time >= :start and c.event_time < :end or c.booked_time >= :start and c.booked_time < :end)
  group by 1, 2, 3, 4, 5, 6, 7, 8
  having sum((charge ->> 2)::numeric) <> 0 or sum(coalesce(charge ->> 3, charge ->> 2)::numeric) <> 0
  order by 1, 2, 3, 4, 5, 6, 7, 8 limit :max`);

export function readLateCharges(
  tx: Transaction,
  organizationId: OrganizationId,
  { start, end }: Window,
  max: number,
): Promise<LateCharge[]> {
  return tx.all(LATE, { organizationId, start: start.iso, end: end.iso, max });
}
