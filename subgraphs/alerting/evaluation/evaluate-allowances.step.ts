/** `ALLOWANCE_USED`: allowances of which the rule's percentage was spent in the current period, one group for each. */
import { amount as toAmount } from '#kernel/money.ts';
import { percent, percentText } from '#kernel/percent.ts';
import { usdText } from '#kernel/usd-text.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { type BudgetMemory, judgeBudget } from '../detection/budget.ts';
import { PAGES } from '../figures/page-path.ts';
import { dayWords, monthWords } from '../figures/words.ts';
import { type GroupJudgement, memoryOf, plainJudgement, type RuleAt, unsettledGroups } from './judged.ts';

const ALLOWANCES = graphql(`query AlertAllowances($usedPercent: Int!) {
  allowances(first: 500, filter: { usedPercent: $usedPercent }) {
    nodes { id subject subjectId period amount spent periodStart }
  }
}`);

type Allowance = DataOf<'AlertAllowances'>['allowances']['nodes'][number];

/**
 * Each level alerts once per period; a top-up begins a new one. An allowance below the lowest level is not read, and its
 * alert ends. End users are not named, so that nothing has to be erased from sent messages.
 */
export async function evaluateAllowances(rule: RuleAt): Promise<GroupJudgement[]> {
  const { levels = [] } = rule.rule.parameters;
  const variables = { usedPercent: Math.min(...levels) };
  const { nodes } = (await rule.read(ALLOWANCES, variables)).allowances;
  const query = { document: ALLOWANCES, variables };
  const used = new Set(nodes.map(({ id }) => id));
  return [
    ...nodes.map((allowance) => judgeAllowance(rule, allowance, query)),
    ...unsettledGroups(rule)
      .filter((id) => !used.has(id))
      .map((groupKey) => ({
        groupKey,
        groupName: 'An allowance',
        severity: 'WARNING' as const,
        judgement: plainJudgement({ state: 'OK', memory: null, end: 'RECOVERED' }),
        evidence: evidenceOf(rule, 'The allowance has enough left, or was removed.', [], query),
      })),
  ];
}

function judgeAllowance(rule: RuleAt, allowance: Allowance, query: Query): GroupJudgement {
  const { id, amount, spent, periodStart } = allowance;
  const { levels = [] } = rule.rule.parameters;
  const period = periodStart === null ? `prepaid ${amount}` : String(periodStart).slice(0, 10);
  const verdict = judgeBudget({ period, spent, amount, levels, forecast: null }, memoryOf<BudgetMemory>(rule, id));
  const level = Math.max(0, ...verdict.memory.reached);
  const used = percent(toAmount(spent), toAmount(amount));
  const share = used === null ? '' : ` (${percentText(used)})`;
  const name = nameOf(allowance);
  return {
    groupKey: id,
    groupName: name,
    severity: level >= 100 ? 'CRITICAL' : 'WARNING',
    judgement: {
      state: verdict.state,
      memory: verdict.memory,
      end: verdict.end === 'NOT_APPLICABLE' ? 'PERIOD_ENDED' : verdict.end,
      judgedThrough: null,
      level,
      news: verdict.newLevels.at(-1) ?? null,
    },
    evidence: evidenceOf(
      rule,
      `${usdText(spent)} of the ${usdText(amount)} allowance of ${name} is spent${periodWords(allowance)}${share}.`,
      verdict.figures,
      query,
    ),
  };
}

type Query = GroupJudgement['evidence']['query'];

function evidenceOf(
  { at }: RuleAt,
  sentence: string,
  figures: GroupJudgement['evidence']['figures'],
  query: Query,
): GroupJudgement['evidence'] {
  const time = at.toISOString();
  return { sentence, figures, windowStart: time, windowEnd: time, computedAt: time, query, path: PAGES.allowances };
}

function nameOf({ subject, subjectId }: Allowance): string {
  if (subject === 'ORGANIZATION') return 'the organization';
  return subject === 'AGENT' ? `the agent ${subjectId}` : 'a customer';
}

function periodWords({ period, periodStart }: Allowance): string {
  if (period === 'PREPAID' || periodStart === null) return '';
  const day = String(periodStart).slice(0, 10);
  return period === 'DAY' ? ` on ${dayWords(day)}` : ` in ${monthWords(day.slice(0, 7))}`;
}
