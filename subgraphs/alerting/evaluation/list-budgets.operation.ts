/** Budgets with what of them is spent and forecast. */
import { amount } from '../../../kernel/money.ts';
import { percent } from '../../../kernel/percent.ts';
import { now } from '../../../platform/clock.ts';
import type { GatewayClient } from '../../../platform/gateway-client.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { readerOf } from '../figures/graph-reader.step.ts';
import { costsPath } from '../figures/page-path.ts';
import type { Budget } from '../resolvers.generated.ts';
import { toAlertRuleView } from '../rules/alert-rule-view.ts';
import { ownRules } from '../rules/own-rules.step.ts';
import { findPassingDay, readBudget } from './evaluate-budget.step.ts';
import { selectionOf } from './selection-of.ts';

/** Read from the graph in the name of the organization. Fails as `Window.costs` does for what a budget's filter names. */
export async function listBudgets(context: SubgraphContext, gateway: GatewayClient): Promise<Budget[]> {
  const organizationId = organizationOf(context);
  const at = now();
  const rules = await context.database.forOrganization(organizationId, (em) => ownRules(em, organizationId, at));
  const read = readerOf(gateway, organizationId);
  return Promise.all(
    rules
      .filter(({ kind }) => kind === 'BUDGET')
      .map(async (rule): Promise<Budget> => {
        const { parameters } = rule;
        const { amount: whole = '0' } = parameters;
        const selection = selectionOf(parameters);
        const figures = await readBudget(read, parameters, at, parameters.withForecast ?? false);
        const { period, spent, forecast, through } = figures;
        const isBeyond = forecast !== null && amount(forecast) > amount(whole);
        return {
          rule: toAlertRuleView(rule, at),
          periodStart: period.start,
          periodEnd: period.end,
          spent,
          spentThrough: through,
          spentPercent: percent(amount(spent), amount(whole)) ?? 0,
          forecast,
          passesOn: isBeyond ? await findPassingDay(read, selection, figures, whole, at) : null,
          path: costsPath(
            organizationId,
            { start: period.start.toISOString(), end: through.toISOString() },
            selection.filter ?? {},
          ),
        };
      }),
  );
}
