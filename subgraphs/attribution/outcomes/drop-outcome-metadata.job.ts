/**
 * Removes metadata from outcomes that are older than their organization's metadata retention, which costing stores
 * (decision 28). Figures stay. Each run looks for everything that has expired, so a shorter retention applies to
 * earlier outcomes too.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import { type Job, UPKEEP_SHARE } from '#platform/job-loop.ts';
import { servicePrincipal } from '#platform/principal.ts';
import { randomUuid } from '#platform/random.ts';
import type { SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { FOLLOWER, METADATA_CHECK_SECONDS, REDUCED_VERSIONS_MAX, RETENTIONS_PER_PAGE } from '../config.ts';
import { dropVersionMetadata } from './expired-metadata.query.ts';

const RETENTIONS = internalGraphql(`query MetadataRetentions($after: ID, $max: Int!) {
  metadataRetentions(after: $after, max: $max)
}`);

/** How long an organization keeps metadata, as costing returns it. */
interface Retention {
  readonly organizationId: OrganizationId;
  readonly months: number;
  readonly keepDimensions: readonly string[];
}

export function dropOutcomeMetadata(
  { database, gateway }: Pick<SubgraphDependencies, 'database' | 'gateway'>,
  versionsMax: number = REDUCED_VERSIONS_MAX,
): Job {
  let after: string | null = null;
  return {
    name: 'drop-outcome-metadata',
    restMilliseconds: METADATA_CHECK_SECONDS * 1_000,
    share: UPKEEP_SHARE,
    async step() {
      const variables = { after, max: RETENTIONS_PER_PAGE };
      const answer = await askGateway(gateway, RETENTIONS, variables, servicePrincipal(FOLLOWER, randomUuid()));
      const retentions = answer.metadataRetentions as readonly Retention[];
      for (const retention of retentions)
        if (await database.system((tx) => dropVersionMetadata(tx, { ...retention, at: now(), max: versionsMax })))
          return 'more';
        else after = retention.organizationId;
      if (retentions.length === RETENTIONS_PER_PAGE) return 'more';
      after = null;
      return 'idle';
    },
  };
}
