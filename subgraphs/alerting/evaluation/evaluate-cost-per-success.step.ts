/** `COST_PER_SUCCESS`: what outcomes of one name cost per completed task, in the days up to a settled day. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { unitUsdText, usdText } from '#kernel/usd-text.ts';
import { judgeCostPerSuccess } from '../detection/cost-per-success.ts';
import type { ThresholdMemory } from '../detection/threshold.ts';
import { OUTCOME_COSTS, type OutcomeCosts, readOutcomeCosts } from '../figures/outcome-figures.step.ts';
import { outcomesPath } from '../figures/page-path.ts';
import { count as countText, dayWords } from '../figures/words.ts';
import { type GroupJudgement, memoryOf, plainJudgement, type RuleOfDay } from './judged.ts';

export async function evaluateCostPerSuccess(rule: RuleOfDay): Promise<GroupJudgement[]> {
  const { day, read, organizationId } = rule;
  const { outcome = '', filter, value: threshold = '0', windowDays = 1 } = rule.rule.parameters;
  const end = Date.parse(day) + DAY_MS;
  const window = {
    start: new Date(end - windowDays * DAY_MS).toISOString(),
    end: new Date(end).toISOString(),
  };
  const variables = {
    ...window,
    filter: {
      names: [outcome],
      endUser: filter?.endUser ?? null,
      agent: filter?.agent ?? null,
      model: filter?.model ?? null,
    },
  };
  const costs = await readOutcomeCosts(read, variables);
  const verdict = judgeCostPerSuccess({ ...costs, threshold }, memoryOf<ThresholdMemory>(rule, ''));
  const span = windowDays === 1 ? `on ${dayWords(day)}` : `in the ${windowDays} days to ${dayWords(day)}`;
  return [
    {
      groupKey: '',
      groupName: null,
      severity: 'WARNING',
      judgement: plainJudgement(verdict, window.end),
      evidence: {
        sentence: sentenceOf(outcome, span, threshold, costs),
        figures: verdict.figures,
        windowStart: window.start,
        windowEnd: window.end,
        computedAt: rule.at.toISOString(),
        query: { document: OUTCOME_COSTS, variables },
        path: outcomesPath(organizationId, window, variables.filter),
      },
    },
  ];
}

function sentenceOf(
  outcome: string,
  span: string,
  threshold: string,
  { count, succeeded, cost, failedCost, costPerSuccess }: OutcomeCosts,
): string {
  if (costPerSuccess === null)
    return `No ${outcome} was completed ${span}. Its failed attempts cost ${usdText(cost)}; the limit per completed task is ${unitUsdText(threshold)}.`;
  const failed = failedCost === '0' ? '' : `, and failed attempts cost ${usdText(failedCost)}`;
  return `Each completed ${outcome} cost ${unitUsdText(costPerSuccess)} ${span}; the limit is ${unitUsdText(threshold)}. ${countText(succeeded)} of ${countText(count)} attempts were completed${failed}.`;
}
