/** Alerting: what somebody should hear of now. */
import { deletedOrganizationsJob } from '../../platform/subgraph/deleted-organizations-job.ts';
import type { SubgraphDefinition } from '../../platform/subgraph/subgraph.ts';
import { AlertAttemptTable } from './deliveries/alert-attempt.table.ts';
import { AlertChannelTable } from './channels/alert-channel.table.ts';
import { AlertDeliveryTable } from './deliveries/alert-delivery.table.ts';
import { AlertEpisodeTable } from './episodes/alert-episode.table.ts';
import { AlertRuleTable } from './rules/alert-rule.table.ts';
import { AlertStateTable } from './episodes/alert-state.table.ts';
import { AuditRecordTable } from './audit-log/audit-record.table.ts';
import { OrganizationPlaceTable } from './evaluation/organization-place.table.ts';
import { evaluateAlerts } from './evaluation/evaluate-alerts.job.ts';
import { resolvers } from './resolvers.ts';

export const alerting: SubgraphDefinition = {
  name: 'alerting',
  schemaFile: new URL('./schema.graphql', import.meta.url),
  entities: [
    AlertRuleTable,
    AlertStateTable,
    AlertEpisodeTable,
    AlertChannelTable,
    AlertDeliveryTable,
    AlertAttemptTable,
    OrganizationPlaceTable,
    AuditRecordTable,
  ],
  migrationsFolder: new URL('./migrations/', import.meta.url),
  resolvers,
  jobs: (dependencies) => [evaluateAlerts(dependencies), deletedOrganizationsJob(dependencies)],
};
