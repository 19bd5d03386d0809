/** Sets how long the metadata of events is kept. */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { DIMENSIONS_KEPT_MAX, RETENTION_MONTHS_MAX } from '../config.ts';
import type { MetadataRetention } from '../resolvers.generated.ts';
import { saveRetention } from './metadata-retention.table.ts';

export interface RetentionRequest {
  /** Null: forever. */
  readonly months?: number | null | undefined;
  readonly keepDimensions: readonly string[];
}

/** Extending the period later does not restore removed metadata. */
export async function setMetadataRetention(
  context: SubgraphContext,
  { months = null, keepDimensions }: RetentionRequest,
): Promise<MetadataRetention> {
  const organizationId = organizationOf(context);
  if (months !== null && (months < 1 || months > RETENTION_MONTHS_MAX))
    fail('VALIDATION_ERROR', `months must be from 1 to ${RETENTION_MONTHS_MAX}, or null to keep metadata forever`);
  if (keepDimensions.length > DIMENSIONS_KEPT_MAX)
    fail('VALIDATION_ERROR', `keepDimensions must contain at most ${DIMENSIONS_KEPT_MAX} keys`);
  const retention = { months, keepDimensions: [...new Set(keepDimensions)].sort() };
  await context.database.write(organizationId, async (tx) => {
    const at = now();
    await saveRetention(tx, organizationId, retention, at);
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'metadata_retention.set',
      ...actorOf(context.principal),
      detail:
        months === null ? 'for ever' : `${months} months, except ${retention.keepDimensions.join(', ') || 'nothing'}`,
    });
  });
  return retention;
}
