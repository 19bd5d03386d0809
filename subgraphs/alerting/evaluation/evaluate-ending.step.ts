/**
 * `AGREEMENT_ENDING`, `CREDIT_EXPIRING` and `COMMITMENT_AT_RISK`: agreements with providers, discounts, credits and periods
 * of commitments that end soon. One group for each end.
 */
import { usdText } from '#kernel/usd-text.ts';
import { DAY_MS } from '#kernel/time/duration.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { type EndingMemory, judgeEnding } from '../detection/ending.ts';
import { exact } from '../detection/verdict.ts';
import { PAGES } from '../figures/page-path.ts';
import { dayWords } from '../figures/words.ts';
import { type GroupJudgement, memoryOf, plainJudgement, type RuleAt, unsettledGroups } from './judged.ts';

const AGREEMENTS = graphql(`query AlertAgreements {
  agreements { id provider name until discounts { until } }
}`);

interface Ending {
  readonly groupKey: string;
  readonly groupName: string;
  /** The day after the last day. */
  readonly day: string;
  readonly sentence: string;
}

export async function evaluateEndingAgreements(rule: RuleAt): Promise<GroupJudgement[]> {
  const { agreements } = await rule.read(AGREEMENTS, {});
  return judgeEndings(rule, agreements.flatMap(endsOf), AGREEMENTS);
}

const CREDITS = graphql(`query AlertProviderCredits {
  providerCredits { id kind name provider until left forecast { expiresUnused } }
}`);

/** Credits of which nothing is left, or that are forecast to be used up before, do not alert. */
export async function evaluateExpiringCredits(rule: RuleAt): Promise<GroupJudgement[]> {
  const { providerCredits } = await rule.read(CREDITS, {});
  const endings = providerCredits.flatMap(({ id, kind, name, provider, until, left, forecast }): Ending[] => {
    const unused = forecast?.expiresUnused ?? left;
    if (until === null || left === '0' || left.startsWith('-') || unused === '0') return [];
    const estimate = forecast === null ? '' : `, and ${usdText(unused)} of it would expire unused at the present pace`;
    const what = kind === 'CREDIT' ? 'credit' : 'prepayment';
    const sentence = `The ${what} ${name} of ${provider} expires on ${dayWords(until)} (UTC): ${usdText(left)} is left${estimate}.`;
    return [{ groupKey: `${id} ${until}`, groupName: `${name} (${provider})`, day: until, sentence }];
  });
  return judgeEndings(rule, endings, CREDITS);
}

const COMMITMENTS = graphql(`query AlertCommitments {
  commitments { id name provider amount periods { until left forecast { missedBy } } }
}`);

/** Periods whose amount is reached, or is forecast to be, do not alert. */
export async function evaluateCommitments(rule: RuleAt): Promise<GroupJudgement[]> {
  const { commitments } = await rule.read(COMMITMENTS, {});
  const endings = commitments.flatMap(({ id, name, provider, amount, periods }) =>
    periods
      .filter(({ left, forecast }) => left !== '0' && forecast?.missedBy !== '0')
      .map(({ until, left, forecast }): Ending => {
        const estimate =
          forecast === null ? '' : `, and ${usdText(forecast.missedBy)} would be missing at the present pace`;
        const sentence = `A period of the commitment ${name} with ${provider} ends on ${dayWords(until)} (UTC): ${usdText(left)} of ${usdText(amount)} is not spent yet${estimate}.`;
        return { groupKey: `${id} ${until}`, groupName: `${name} (${provider})`, day: until, sentence };
      }),
  );
  return judgeEndings(rule, endings, COMMITMENTS);
}

/** The end of an agreement, and the ends of its discounts that end earlier. */
function endsOf({ id, provider, name, until, discounts }: DataOf<'AlertAgreements'>['agreements'][number]): Ending[] {
  const earlier = discounts.flatMap((discount) =>
    discount.until !== null && (until === null || discount.until < until) ? [discount.until] : [],
  );
  const ending = (day: string, what: string): Ending => ({
    groupKey: `${id} ${day}`,
    groupName: `${name} (${provider})`,
    day,
    sentence: `${what} with ${provider} ends on ${dayWords(day)} (UTC). Later calls have the list price.`,
  });
  return [
    ...(until === null ? [] : [ending(until, `The agreement ${name}`)]),
    ...[...new Set(earlier)].map((day) => ending(day, `A discount of the agreement ${name}`)),
  ];
}

const PATHS: Readonly<Record<string, string>> = {
  [CREDITS]: PAGES.providerCredits,
  [COMMITMENTS]: PAGES.commitments,
};

function judgeEndings(rule: RuleAt, endings: readonly Ending[], document: string): GroupJudgement[] {
  const known = new Map(endings.map((ending) => [ending.groupKey, ending]));
  const time = rule.at.toISOString();
  const evidence = (sentence: string, daysLeft: number | null): GroupJudgement['evidence'] => ({
    sentence,
    figures: daysLeft === null ? [] : [exact('days_left', String(daysLeft), 'count')],
    windowStart: time,
    windowEnd: time,
    computedAt: time,
    query: { document, variables: {} },
    path: PATHS[document] ?? PAGES.agreements,
  });
  return [...new Set([...known.keys(), ...unsettledGroups(rule)])].map((groupKey): GroupJudgement => {
    const ending = known.get(groupKey);
    if (ending === undefined)
      return {
        groupKey,
        groupName: 'A removed or changed end',
        severity: 'WARNING',
        judgement: plainJudgement({ state: 'OK', memory: null, end: 'RECOVERED' }),
        evidence: evidence('It was changed, removed, used up or reached.', null),
      };
    const daysLeft = Math.ceil((Date.parse(ending.day) - rule.at.getTime()) / DAY_MS);
    const { stage, isNewStage, ...verdict } = judgeEnding(daysLeft, memoryOf<EndingMemory>(rule, groupKey));
    return {
      groupKey,
      groupName: ending.groupName,
      severity: stage === 7 ? 'CRITICAL' : 'WARNING',
      judgement: { ...plainJudgement(verdict), level: stage, news: isNewStage ? stage : null },
      evidence: evidence(ending.sentence, Math.max(0, daysLeft)),
    };
  });
}
