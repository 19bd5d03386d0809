/** Attribution: who or what a cost was for. */
import type { SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';
import { AuditRecordTable } from './data/audit-record.ts';
import { CostFactTable } from './data/cost-fact.ts';
import { DimensionTable } from './data/dimension.ts';
import { EndUserDayTable } from './data/end-user-day.ts';
import { EndUserMonthTable } from './data/end-user-month.ts';
import { EndUserTable } from './data/end-user.ts';
import { FeedPositionTable } from './data/feed-position.ts';
import { RolledKeyTable } from './data/rolled-key.ts';
import { RollupDayTable } from './data/rollup-day.ts';
import { RollupHourTable } from './data/rollup-hour.ts';
import { followPricedFeed } from './jobs/follow-priced-feed.ts';
import { keepRollups } from './jobs/keep-rollups.ts';
import { resolvers } from './resolvers.ts';

export const attribution: SubgraphDefinition = {
  name: 'attribution',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [
    CostFactTable,
    DimensionTable,
    EndUserTable,
    EndUserDayTable,
    EndUserMonthTable,
    FeedPositionTable,
    RolledKeyTable,
    RollupDayTable,
    RollupHourTable,
    AuditRecordTable,
  ],
  migrationsFolder: new URL('./data/migrations/', import.meta.url),
  resolvers,
  jobs: (surroundings) => [followPricedFeed(surroundings), keepRollups(surroundings)],
};
