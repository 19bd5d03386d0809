/** Budgets with their spending and forecast. */
import { amount } from '#kernel/money.ts';
import { percent } from '#kernel/percent.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { isRefusal, type ReadGraph, readerOf } from '../figures/graph-reader.step.ts';
import { costsPath } from '../figures/page-path.ts';
import type { Budget } from '../resolvers.generated.ts';
import type { AlertRuleRow } from '../rules/alert-rule.table.ts';
import { toAlertRuleView } from '../rules/alert-rule-view.ts';
import { ownRules } from '../rules/own-rules.step.ts';
import { findPassingDay, periodOf, readBudget, startOfMinute } from './evaluate-budget.step.ts';
import { selectionOf } from './selection-of.ts';

/**
 * Figures are read from the graph on behalf of the organization. A budget whose filter names something unknown reports
 * that, without affecting the others.
 */
export async function listBudgets(context: SubgraphContext, gateway: GatewayClient): Promise<Budget[]> {
  const organizationId = organizationOf(context);
  const at = now();
  const rules = await context.database.write(organizationId, (tx) => ownRules(tx, organizationId, at));
  const read = readerOf(gateway, organizationId);
  return Promise.all(rules.filter(({ kind }) => kind === 'BUDGET').map((rule) => budgetOf(rule, at, read)));
}

async function budgetOf(rule: AlertRuleRow, at: Date, read: ReadGraph): Promise<Budget> {
  const { organizationId, parameters } = rule;
  const { amount: whole = '0' } = parameters;
  const selection = selectionOf(parameters);
  const period = periodOf(parameters, at);
  const through = startOfMinute(at);
  const budget = {
    rule: toAlertRuleView(rule, at),
    periodStart: period.start,
    periodEnd: period.end,
    spentThrough: through,
    path: costsPath(
      organizationId,
      { start: period.start.toISOString(), end: through.toISOString() },
      selection.filter ?? {},
    ),
  };
  try {
    const figures = await readBudget(read, parameters, at, parameters.withForecast ?? false);
    const { spent, forecast } = figures;
    const isBeyond = forecast !== null && amount(forecast) > amount(whole);
    const passesOn = isBeyond ? await findPassingDay(read, selection, figures, whole, at) : null;
    const spentPercent = percent(amount(spent), amount(whole)) ?? 0;
    return { ...budget, spent, spentPercent, forecast, passesOn, reason: null };
  } catch (error) {
    if (!isRefusal(error)) throw error;
    return { ...budget, spent: null, spentPercent: null, forecast: null, passesOn: null, reason: error.message };
  }
}
