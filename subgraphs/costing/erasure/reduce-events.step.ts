/** Takes personal data or metadata out of events, and tells followers: the figures stay. */
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { liftTimeLimit, query } from '../../../platform/database/sql.ts';
import { isoMicros } from '../../../platform/database/iso-sql.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { type RepublishedEvent, republishEvents } from '../feed/republish-events.step.ts';
import { PRICED_METADATA_KEYS } from '../pricing/read-units.ts';
import { lockRates } from '../rates/rate-generation.table.ts';

export interface Reduction {
  /** Keys of metadata that stay, besides those that prices depend on. */
  readonly keepDimensions: readonly string[];
  /** Who takes the place of the end user; then the session goes too. Null: the end user stays. */
  readonly pseudonym: string | null;
  /** Id of the end user whose place is taken. */
  readonly replaces: string | null;
}

/** Call it first in a transaction that reduces events. Facts that are being written of them as they were come before. */
export async function beginReduction(em: EntityManager): Promise<void> {
  await liftTimeLimit(em);
  await lockRates(em);
}

/** At most as many events as a batch of the feed bears. Ids that do not exist are passed over. */
export async function reduceEvents(
  em: EntityManager,
  organizationId: string,
  eventIds: readonly string[],
  { keepDimensions, pseudonym, replaces }: Reduction,
  at: Date,
): Promise<void> {
  const reduced = await query<RepublishedEvent>(
    em,
    `
    update usage_event e set reduced_at = $5,
      metadata = (
        select json_object_agg(key, value) from json_each(e.metadata)
        where key = any($3) or key in (
          select jsonb_object_keys(unit_prices::jsonb) from rate_card_version where organization_id in ($1, $6))),
      end_user_external_id = coalesce($4::text, end_user_external_id),
      session_id = case when $4::text is null then session_id end,
      span_id = case when $4::text is null then span_id end,
      parent_span_id = case when $4::text is null then parent_span_id end
    where organization_id = $1 and id = any($2::uuid[])
    returning id, livemode, end_user_external_id, ${isoMicros('event_time')} as event_time`,
    [organizationId, eventIds, [...PRICED_METADATA_KEYS, ...keepDimensions], pseudonym, at, GLOBAL_TENANT],
  );
  await republishEvents(em, organizationId, reduced, replaces);
}
