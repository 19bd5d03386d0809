/** Deletes a rule. Its episodes stay. */
import { now } from '#platform/clock.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import type { AlertRule } from '../resolvers.generated.ts';
import { saveRule } from './alert-rule.table.ts';
import { toAlertRuleView } from './alert-rule-view.ts';
import { ownRules } from './own-rules.step.ts';

/** Returns the rule as it was. Fails with `NOT_FOUND`. */
export async function deleteAlertRule(context: SubgraphContext, id: string): Promise<AlertRule> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const at = now();
    const rule = (await ownRules(tx, organizationId, at)).find((one) => one.id === id);
    if (!rule) return fail('NOT_FOUND', 'id: alert rule not found');
    await saveRule(tx, { ...rule, updatedAt: at, deletedAt: at });
    await recordAudit(tx, {
      organizationId,
      at,
      action: 'alert_rule.deleted',
      ...actorOf(context.principal),
      subjectId: id,
      detail: rule.name,
    });
    return toAlertRuleView(rule, at);
  });
}
