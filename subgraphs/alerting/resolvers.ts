/** Routes the fields of alerting's schema to operations. */
import { deleteOrganizationData } from '../../platform/subgraph/delete-organization-rows.ts';
import { auditedOrganizationOf, readAuditLog } from '../../platform/subgraph/read-audit-log.ts';
import { withUserErrors } from '../../platform/subgraph/user-errors.ts';
import { deleteAlertRule } from './rules/delete-alert-rule.operation.ts';
import { getAlertRule } from './rules/get-alert-rule.operation.ts';
import { listAlertRules } from './rules/list-alert-rules.operation.ts';
import { muteAlertRule } from './rules/mute-alert-rule.operation.ts';
import { saveAlertRule } from './rules/save-alert-rule.operation.ts';
import type { Resolvers } from './resolvers.generated.ts';

export function resolvers(): Resolvers {
  return {
    Query: {
      alertRules: (_parent, _args, context) => listAlertRules(context),
      alertRule: (_, { id }, context) => getAlertRule(context, id),
      alertingAuditLog: (_, page, context) => readAuditLog(context, auditedOrganizationOf(context), page),
    },
    Mutation: {
      alertRuleSave: withUserErrors('alertRule', (_, { input }, context) => saveAlertRule(context, input)),
      alertRuleDelete: withUserErrors('alertRule', (_, { id }, context) => deleteAlertRule(context, id)),
      alertRuleMute: withUserErrors('alertRule', (_, args, context) => muteAlertRule(context, args)),
      deleteAlertingData: (_, request, context) => deleteOrganizationData(context, request),
    },
  };
}
