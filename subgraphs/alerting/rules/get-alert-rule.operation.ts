/** Returns one rule. Rules of one request are read together, because every episode of a list names its rule. */
import DataLoader from 'dataloader';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { AlertRule } from '../resolvers.generated.ts';
import { maySee, toAlertRuleView } from './alert-rule-view.ts';
import { ownRules } from './own-rules.step.ts';

const loaders = new WeakMap<SubgraphContext, DataLoader<string, AlertRule | null>>();

/** Null if it does not exist or the caller may not see it. */
export function getAlertRule(context: SubgraphContext, id: string): Promise<AlertRule | null> {
  const loader = loaders.get(context) ?? loaderOf(context);
  loaders.set(context, loader);
  return loader.load(id);
}

function loaderOf(context: SubgraphContext): DataLoader<string, AlertRule | null> {
  const organizationId = organizationOf(context);
  return new DataLoader<string, AlertRule | null>(
    async (ids) => {
      const at = now();
      const rules = await context.database.write(organizationId, (tx) => ownRules(tx, organizationId, at));
      return ids.map((id) => {
        const rule = rules.find((one) => one.id === id);
        return rule !== undefined && maySee(context.principal, rule) ? toAlertRuleView(rule, at) : null;
      });
    },
    // A mutation of the same request may change a rule.
    { cache: false },
  );
}
