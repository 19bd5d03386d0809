/** Removes personal data or metadata from events, and publishes the change to consumers. Figures do not change. */
import type { EventId, OrganizationId } from '#kernel/ids.ts';
import { arrayLiteral } from '#platform/database/array-literal.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import { statement } from '#platform/database/statement.ts';
import { isoMicros } from '#platform/database/iso-sql.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { type RepublishedEvent, republishEvents } from '../feed/republish-events.step.ts';
import { PRICED_METADATA_KEYS } from '#usage/counts/read-units.ts';
import { lockRates } from '../rates/rate-generation.table.ts';

export interface Reduction {
  /** Metadata keys to keep, in addition to those that prices depend on. */
  readonly keepDimensions: readonly string[];
  /** Replaces the end user; the session is then removed too. Null: the end user is kept. */
  readonly pseudonym: string | null;
  /** Id of the end user being replaced. */
  readonly replaces: string | null;
}

/**
 * Must be the first call in a transaction that reduces events. Transactions that write facts with the data to be
 * removed finish first.
 */
export async function beginReduction(tx: WriteTransaction): Promise<void> {
  await liftTimeLimit(tx);
  await lockRates(tx);
}

type ReducedEvent = RepublishedEvent & { readonly metadata: string | null };

/**
 * The reduced events, locked by this transaction. They are read in a separate query, because an update on several nodes
 * cannot compute them.
 */
const REDUCED = statement<
  ReducedEvent,
  {
    readonly organizationId: OrganizationId;
    readonly eventIds: readonly EventId[];
    readonly keptKeys: readonly string[];
    readonly pseudonym: string | null;
  }
>(`
  select id, livemode, coalesce(:pseudonym::text, end_user_external_id) as end_user_external_id,
    ${isoMicros('event_time')} as event_time,
    (select json_object_agg(key, value) from json_each(metadata)
      where key = any(:keptKeys) or key in (
        select jsonb_object_keys(unit_prices::jsonb) from rate_card_version where organization_id in (:organizationId, '${GLOBAL_TENANT}')))::text as metadata
  from usage_event where organization_id = :organizationId and id = any(:eventIds::uuid[])
  for no key update`);

const REDUCE = statement<
  object,
  {
    readonly organizationId: OrganizationId;
    readonly ids: readonly string[];
    readonly metadata: string | null;
    readonly pseudonym: string | null;
    readonly at: Date;
  }
>(`
  update usage_event e set reduced_at = :at,
    metadata = reduced.metadata::json,
    end_user_external_id = coalesce(:pseudonym::text, end_user_external_id),
    session_id = case when :pseudonym::text is null then session_id end,
    span_id = case when :pseudonym::text is null then span_id end,
    parent_span_id = case when :pseudonym::text is null then parent_span_id end
  from unnest(:ids::uuid[], :metadata::text[]) as reduced (id, metadata)
  where e.organization_id = :organizationId and e.id = reduced.id`);

/** Takes at most as many events as fit into a batch of the feed. Ignores unknown ids. */
export async function reduceEvents(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  eventIds: readonly EventId[],
  { keepDimensions, pseudonym, replaces }: Reduction,
  at: Date,
): Promise<void> {
  const keptKeys = [...PRICED_METADATA_KEYS, ...keepDimensions];
  const events = await tx.all(REDUCED, { organizationId, eventIds, keptKeys, pseudonym });
  const ids = events.map(({ id }) => id);
  const metadata = arrayLiteral(events.map((event) => event.metadata));
  await tx.run(REDUCE, { organizationId, ids, metadata, pseudonym, at });
  await republishEvents(tx, organizationId, events, replaces);
}
