/** Lists rules whose figures the caller may read. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { AlertRule } from '../resolvers.generated.ts';
import { maySee, toAlertRuleView } from './alert-rule-view.ts';
import { ownRules } from './own-rules.step.ts';

export async function listAlertRules(context: SubgraphContext): Promise<AlertRule[]> {
  const organizationId = organizationOf(context);
  const at = now();
  const rules = await context.database.write(organizationId, (tx) => ownRules(tx, organizationId, at));
  return rules.filter((rule) => maySee(context.principal, rule)).map((rule) => toAlertRuleView(rule, at));
}
