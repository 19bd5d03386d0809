/** Attribution: who or what a cost was for. */
import type { Job } from '#platform/job-loop.ts';
import { homeTable } from '#platform/database/nodes/organization-home.ts';
import { deletedOrganizationsJob } from '#platform/subgraph/deleted-organizations-job.ts';
import type { SubgraphDefinition, SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { AuditRecordTable } from './audit-log/audit-record.table.ts';
import { ChargeDayTable } from './rollups/charge-day.table.ts';
import { CostFactTable } from './rollups/cost-fact.table.ts';
import { DimensionTable } from './dimensions/dimension.table.ts';
import { EndUserDayTable } from './rollups/end-user-day.table.ts';
import { EndUserModelDayTable } from './rollups/end-user-model-day.table.ts';
import { EndUserMonthTable } from './rollups/end-user-month.table.ts';
import { LargeEndUserTable } from './rollups/large-end-user.table.ts';
import { EndUserTable } from './end-users/end-user.table.ts';
import { dropOutcomeMetadata } from './outcomes/drop-outcome-metadata.job.ts';
import { OutcomeTable } from './outcomes/outcome.table.ts';
import { OutcomeEventTable } from './outcomes/outcome-event.table.ts';
import { OutcomeVersionTable } from './outcomes/outcome-version.table.ts';
import { PendingDayTable } from './rollups/pending-day.table.ts';
import { FeedOffsetTable } from './feed/feed-offset.table.ts';
import { RefusedFactTable } from './feed/refused-fact.table.ts';
import { RollupKeyTable } from './rollups/rollup-key.table.ts';
import { RollupDayTable } from './rollups/rollup-day.table.ts';
import { RollupHourTable } from './rollups/rollup-hour.table.ts';
import { checkOffsets } from './feed/check-offsets.job.ts';
import { compareWithLedger } from './feed/compare-with-ledger.job.ts';
import { feedLanes } from './feed/feed-lanes.step.ts';
import { followPricedFeed } from './feed/follow-priced-feed.job.ts';
import { followShortFeeds } from './feed/follow-short-feeds.job.ts';
import { keepRollups } from './rollups/upkeep/keep-rollups.job.ts';
import { OperationTable } from './operations/operation.table.ts';
import { runOperations } from './operations/run-operations.job.ts';
import { BookDifferenceTable } from './verification/book-difference.table.ts';
import { BookStateTable } from './verification/book-state.table.ts';
import { ChangedDayTable } from './rollups/changed-day.table.ts';
import { verifyChanges } from './verification/verify-changes.job.ts';
import { reportViews } from './report-views/report-views.query.ts';
import { resolvers } from './resolvers.ts';

export const attribution: SubgraphDefinition = {
  name: 'attribution',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [
    ChargeDayTable,
    CostFactTable,
    DimensionTable,
    EndUserTable,
    EndUserDayTable,
    EndUserModelDayTable,
    EndUserMonthTable,
    FeedOffsetTable,
    LargeEndUserTable,
    OutcomeTable,
    OutcomeEventTable,
    OutcomeVersionTable,
    RefusedFactTable,
    RollupKeyTable,
    RollupDayTable,
    RollupHourTable,
    AuditRecordTable,
    OperationTable,
    BookDifferenceTable,
    BookStateTable,
    ChangedDayTable,
    PendingDayTable,
    homeTable('attribution'),
  ],
  migrationsFolder: new URL('./migrations/', import.meta.url),
  distribution: { referenceTables: [] },
  reportViews,
  resolvers,
  jobs: (dependencies) => [
    ...followers(dependencies),
    checkOffsets(dependencies),
    compareWithLedger(dependencies),
    keepRollups(dependencies),
    dropOutcomeMetadata(dependencies),
    runOperations(dependencies),
    verifyChanges(dependencies),
    deletedOrganizationsJob(dependencies),
  ],
};

function followers(dependencies: SubgraphDependencies): Job[] {
  const lanes = feedLanes(dependencies);
  return [followPricedFeed(dependencies, undefined, lanes), followShortFeeds(dependencies, lanes)];
}
