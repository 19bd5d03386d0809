/** Returns one rule. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { AlertRule } from '../resolvers.generated.ts';
import { maySee, toAlertRuleView } from './alert-rule-view.ts';
import { ownRules } from './own-rules.step.ts';

/** Null if it does not exist or the caller may not see it. */
export async function getAlertRule(context: SubgraphContext, id: string): Promise<AlertRule | null> {
  const organizationId = organizationOf(context);
  const at = now();
  const rules = await context.database.write(organizationId, (tx) => ownRules(tx, organizationId, at));
  const rule = rules.find((one) => one.id === id);
  return rule !== undefined && maySee(context.principal, rule) ? toAlertRuleView(rule, at) : null;
}
