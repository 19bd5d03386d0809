/** Removes expired metadata from statements of outcomes, and from the outcomes that show them. */
import type { OrganizationId } from '#kernel/ids.ts';
import { lockOrganization } from '#platform/database/locks.ts';
import { liftTimeLimit } from '#platform/database/sql.ts';
import { statement } from '#platform/database/statement.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';

interface Expiry {
  readonly organizationId: OrganizationId;
  readonly months: number;
  /** Metadata keys that are kept. */
  readonly keepDimensions: readonly string[];
  readonly at: Date;
  readonly max: number;
}

interface ExpiredVersion {
  readonly livemode: boolean;
  readonly key: string;
  readonly version: number;
  readonly fingerprint: string;
  /** JSON. */
  readonly metadata: string;
}

const LIST_EXPIRED = statement<ExpiredVersion, Expiry>(`
  select livemode, key, version, fingerprint, (
    select coalesce(jsonb_object_agg(name, value), '{}') from jsonb_each(metadata) as pair (name, value)
    where name = any(:keepDimensions::text[]))::text as metadata
  from outcome_version
  where organization_id = :organizationId and metadata <> '{}' and metadata - :keepDimensions::text[] <> '{}'
    and recorded_at < :at::timestamptz - make_interval(months => :months)
  order by livemode, key, version limit :max`);

interface Reduced {
  readonly organizationId: OrganizationId;
  readonly livemodes: readonly boolean[];
  readonly keys: readonly string[];
  readonly versions: readonly number[];
  readonly fingerprints: readonly string[];
  readonly metadata: readonly string[];
}

const ITEMS = `unnest(:livemodes::boolean[], :keys::text[], :versions::int[], :fingerprints::text[], :metadata::jsonb[])
  as item (livemode, key, version, fingerprint, metadata)`;

const REDUCE_VERSIONS = statement<object, Reduced>(`
  update outcome_version stated set metadata = item.metadata from ${ITEMS}
  where stated.organization_id = :organizationId and stated.livemode = item.livemode and stated.key = item.key and stated.version = item.version`);

/** The newest version of a key is the one with its fingerprint. */
const REDUCE_OUTCOMES = statement<object, Reduced>(`
  update outcome set metadata = item.metadata from ${ITEMS}
  where outcome.organization_id = :organizationId and outcome.livemode = item.livemode and outcome.key = item.key
    and outcome.fingerprint = item.fingerprint`);

/** Returns true if anything was removed; there may then be more. A statement's age counts from its receipt. */
export async function dropVersionMetadata(tx: WriteTransaction, expiry: Expiry): Promise<boolean> {
  const { organizationId } = expiry;
  // Concurrent recordings and erasures must not see a partial change.
  await lockOrganization(tx, 'outcomes', organizationId);
  await liftTimeLimit(tx);
  const expired = await tx.all(LIST_EXPIRED, expiry);
  if (expired.length === 0) return false;
  const reduced = {
    organizationId,
    livemodes: expired.map(({ livemode }) => livemode),
    keys: expired.map(({ key }) => key),
    versions: expired.map(({ version }) => version),
    fingerprints: expired.map(({ fingerprint }) => fingerprint),
    metadata: expired.map(({ metadata }) => metadata),
  };
  await tx.run(REDUCE_VERSIONS, reduced);
  await tx.run(REDUCE_OUTCOMES, reduced);
  return true;
}
