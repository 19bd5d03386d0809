/** Removes personal data or metadata from events, and publishes the change to consumers. Figures do not change. */
import { arrayLiteral } from '#platform/database/array-literal.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { liftTimeLimit, query } from '#platform/database/sql.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { type RepublishedEvent, republishEvents } from '../feed/republish-events.step.ts';
import { PRICED_METADATA_KEYS } from '../pricing/read-units.ts';
import { lockRates } from '../rates/rate-generation.table.ts';

export interface Reduction {
  /** Metadata keys to keep, besides those that prices depend on. */
  readonly keepDimensions: readonly string[];
  /** Replaces the end user; the session is then removed too. Null: the end user is kept. */
  readonly pseudonym: string | null;
  /** Id of the end user being replaced. */
  readonly replaces: string | null;
}

/**
 * Must be the first call in a transaction that reduces events. Transactions writing facts about them in their old form
 * finish first.
 */
export async function beginReduction(tx: WriteTransaction): Promise<void> {
  await liftTimeLimit(tx);
  await lockRates(tx);
}

/** At most as many events as fit into a batch of the feed. Unknown ids are ignored. */
export async function reduceEvents(
  tx: WriteTransaction,
  organizationId: string,
  eventIds: readonly string[],
  { keepDimensions, pseudonym, replaces }: Reduction,
  at: Date,
): Promise<void> {
  const keptKeys = [...PRICED_METADATA_KEYS, ...keepDimensions];
  const events = await query<ReducedEvent>(tx, REDUCED, [organizationId, eventIds, keptKeys, pseudonym, GLOBAL_TENANT]);
  const ids = events.map(({ id }) => id);
  const metadata = arrayLiteral(events.map((event) => event.metadata));
  await query(tx, REDUCE, [organizationId, ids, metadata, pseudonym, at]);
  await republishEvents(tx, organizationId, events, replaces);
}

type ReducedEvent = RepublishedEvent & { readonly metadata: string | null };

/**
 * The reduced events, locked by this transaction. A separate query, because an update on several nodes cannot compute
 * it.
 */
const REDUCED = `
  select id, livemode, coalesce($4::text, end_user_external_id) as end_user_external_id,
    ${isoMicros('event_time')} as event_time,
    (select json_object_agg(key, value) from json_each(metadata)
      where key = any($3) or key in (
        select jsonb_object_keys(unit_prices::jsonb) from rate_card_version where organization_id in ($1, $5)))::text as metadata
  from usage_event where organization_id = $1 and id = any($2::uuid[])
  for no key update`;

const REDUCE = `
  update usage_event e set reduced_at = $5,
    metadata = reduced.metadata::json,
    end_user_external_id = coalesce($4::text, end_user_external_id),
    session_id = case when $4::text is null then session_id end,
    span_id = case when $4::text is null then span_id end,
    parent_span_id = case when $4::text is null then parent_span_id end
  from unnest($2::uuid[], $3::text[]) as reduced (id, metadata)
  where e.organization_id = $1 and e.id = reduced.id`;
