/** Routes the fields of alerting's schema to operations. */
import { deleteOrganizationData } from '../../platform/subgraph/delete-organization-rows.ts';
import { auditedOrganizationOf, readAuditLog } from '../../platform/subgraph/read-audit-log.ts';
import { withUserErrors } from '../../platform/subgraph/user-errors.ts';
import type { SubgraphDependencies } from '../../platform/subgraph/subgraph.ts';
import { acknowledgeAlertEpisode } from './episodes/acknowledge-alert-episode.operation.ts';
import { getAlertEpisode } from './episodes/get-alert-episode.operation.ts';
import { listAlertEpisodes } from './episodes/list-alert-episodes.operation.ts';
import { getAlertEvaluation } from './evaluation/get-alert-evaluation.operation.ts';
import { listBudgets } from './evaluation/list-budgets.operation.ts';
import { deleteAlertRule } from './rules/delete-alert-rule.operation.ts';
import { getAlertRule } from './rules/get-alert-rule.operation.ts';
import { listAlertRules } from './rules/list-alert-rules.operation.ts';
import { muteAlertRule } from './rules/mute-alert-rule.operation.ts';
import { saveAlertRule } from './rules/save-alert-rule.operation.ts';
import type { Resolvers } from './resolvers.generated.ts';

export function resolvers({ gateway }: Pick<SubgraphDependencies, 'gateway'>): Resolvers {
  return {
    Query: {
      alertRules: (_parent, _args, context) => listAlertRules(context),
      alertRule: (_, { id }, context) => getAlertRule(context, id),
      alertEpisodes: (_, args, context) => listAlertEpisodes(context, args),
      alertEpisode: (_, { id }, context) => getAlertEpisode(context, id),
      budgets: (_parent, _args, context) => listBudgets(context, gateway),
      alertEvaluation: (_parent, _args, context) => getAlertEvaluation(context),
      alertingAuditLog: (_, page, context) => readAuditLog(context, auditedOrganizationOf(context), page),
    },
    Mutation: {
      alertRuleSave: withUserErrors('alertRule', (_, { input }, context) => saveAlertRule(context, input)),
      alertRuleDelete: withUserErrors('alertRule', (_, { id }, context) => deleteAlertRule(context, id)),
      alertRuleMute: withUserErrors('alertRule', (_, args, context) => muteAlertRule(context, args)),
      alertEpisodeAcknowledge: withUserErrors('alertEpisode', (_, { id }, context) =>
        acknowledgeAlertEpisode(context, id),
      ),
      deleteAlertingData: (_, request, context) => deleteOrganizationData(context, request),
    },
    AlertEpisode: {
      rule: ({ ruleId }, _args, context) => getAlertRule(context, ruleId),
    },
  };
}
