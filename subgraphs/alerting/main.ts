/** Alerting: notifies people of what needs attention. */
import { deletedOrganizationsJob } from '#platform/subgraph/deleted-organizations-job.ts';
import { type Outbound, outboundClient } from '#platform/outbound/outbound-client.ts';
import type { SubgraphDefinition, SubgraphDependencies } from '#platform/subgraph/subgraph.ts';
import { AlertAttemptTable } from './deliveries/alert-attempt.table.ts';
import { AlertChannelTable } from './channels/alert-channel.table.ts';
import { AlertDeliveryTable } from './deliveries/alert-delivery.table.ts';
import { AlertEpisodeTable } from './episodes/alert-episode.table.ts';
import { AlertRuleTable } from './rules/alert-rule.table.ts';
import { AlertStateTable } from './episodes/alert-state.table.ts';
import { AuditRecordTable } from './audit-log/audit-record.table.ts';
import { NoteTable } from './notes/note.table.ts';
import { SavedViewTable } from './saved-views/saved-view.table.ts';
import { OrganizationEvaluationTable } from './evaluation/organization-evaluation.table.ts';
import { evaluateAlerts } from './evaluation/evaluate-alerts.job.ts';
import { deliverExports } from './exports/deliver-exports.job.ts';
import { repeatClosedExports } from './exports/repeat-closed-exports.job.ts';
import { ExportDeliveryTable } from './exports/export-delivery.table.ts';
import { ExportScheduleTable } from './exports/export-schedule.table.ts';
import { SEALED_COLUMNS } from './secrets/sealed-columns.step.ts';
import { forgetDeliveriesJob } from './deliveries/forget-deliveries.job.ts';
import { deliverAlerts } from './deliveries/deliver-alerts.job.ts';
import { resolvers } from './resolvers.ts';
import { sendStatements } from './statements/send-statements.job.ts';
import { StatementScheduleTable } from './statements/statement-schedule.table.ts';

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
    OrganizationEvaluationTable,
    StatementScheduleTable,
    ExportScheduleTable,
    ExportDeliveryTable,
    NoteTable,
    SavedViewTable,
    AuditRecordTable,
  ],
  migrationsFolder: new URL('./migrations/', import.meta.url),
  sealed: SEALED_COLUMNS,
  resolvers: (dependencies) => resolvers(dependencies, outboundOf(dependencies)),
  jobs: (dependencies) => [
    evaluateAlerts({ ...dependencies, appUrl: dependencies.config.appUrl }),
    deliverAlerts({ ...dependencies, outbound: outboundOf(dependencies) }),
    sendStatements(dependencies),
    deliverExports({ ...dependencies, outbound: outboundOf(dependencies) }),
    repeatClosedExports(dependencies),
    forgetDeliveriesJob(dependencies),
    deletedOrganizationsJob(dependencies),
  ],
};

/** Client for addresses that users specify. */
function outboundOf({ config }: SubgraphDependencies): Outbound {
  return outboundClient({ allowedHosts: config.outboundAllowedHosts });
}
