/** `IDLE_CAPACITY` and `CAPACITY_EXHAUSTED`: how much of a fixed cost's capacity was used, by fixed cost. */
import { amount } from '#kernel/money.ts';
import { percent, percentText } from '#kernel/percent.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { usdText } from '#kernel/usd-text.ts';
import { judgeThreshold, type ThresholdMemory } from '../detection/threshold.ts';
import { exact } from '../detection/verdict.ts';
import { CAPACITIES, readCapacities } from '../figures/capacity-figures.step.ts';
import { fixedCostsPath } from '../figures/page-path.ts';
import { dayWords } from '../figures/words.ts';
import { type GroupJudgement, memoryOf, plainJudgement, type RuleOfDay, unsettledGroups } from './judged.ts';

/**
 * A fixed cost that ended, or has no capacity any more, ends its alert. Null if the day cannot be judged yet: fixed costs
 * are allocated after it has settled.
 */
export async function evaluateCapacity(rule: RuleOfDay): Promise<GroupJudgement[] | null> {
  const { day, read } = rule;
  const { value: threshold = '0', windowDays = 1 } = rule.rule.parameters;
  const end = Date.parse(day) + DAY_MS;
  const window = { start: new Date(end - windowDays * DAY_MS).toISOString(), end: new Date(end).toISOString() };
  const span = windowDays === 1 ? `on ${dayWords(day)}` : `in the ${windowDays} days to ${dayWords(day)}`;
  const capacities = await readCapacities(read, window, day);
  if (capacities === null) return null;
  const evidence = {
    windowStart: window.start,
    windowEnd: window.end,
    computedAt: rule.at.toISOString(),
    query: { document: CAPACITIES, variables: window },
    path: fixedCostsPath(window),
  };
  const known = new Set(capacities.map(({ key }) => key));
  const gone = unsettledGroups(rule).filter((key) => !known.has(key));
  return [
    ...capacities.map(({ key, name, utilisation }): GroupJudgement => {
      const { bought, idle, days } = utilisation;
      const isIdle = rule.rule.kind === 'IDLE_CAPACITY';
      const share = isIdle ? percent(amount(idle ?? '0'), amount(bought)) : utilisation.percent;
      const verdict = judgeThreshold(
        { value: days === 0 || share === null ? null : String(share), comparator: 'ABOVE', threshold, unit: 'percent' },
        memoryOf<ThresholdMemory>(rule, key),
      );
      const figures = [...verdict.figures, exact('bought', bought, 'usd'), exact('idle', idle ?? '0', 'usd')];
      return {
        groupKey: key,
        groupName: name,
        severity: 'WARNING',
        judgement: plainJudgement(verdict, window.end),
        evidence: {
          ...evidence,
          figures,
          sentence: isIdle
            ? `${name} was ${percentText(share ?? 0)} idle ${span}: ${usdText(idle ?? '0')} of ${usdText(bought)}. The limit is ${threshold}%.`
            : `${percentText(share ?? 0)} of the capacity of ${name} was used ${span}. The limit is ${threshold}%.`,
        },
      };
    }),
    ...gone.map((key): GroupJudgement => ({
      groupKey: key,
      groupName: key,
      severity: 'WARNING',
      judgement: plainJudgement({ state: 'OK', memory: null, end: 'NOT_APPLICABLE' }, window.end),
      evidence: { ...evidence, figures: [], sentence: `${key} has no capacity any more.` },
    })),
  ];
}
