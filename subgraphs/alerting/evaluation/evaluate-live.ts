/**
 * `UNPRICED`, `SYNC_FAILED`, `CREDITS_LOW` and `CATALOGUE_OLD`: rules on the current state. For conditions that must
 * last, the start is stored.
 */
import { amount } from '#kernel/money.ts';
import { percent, percentText } from '#kernel/percent.ts';
import { DAY_MS, MINUTE_MS } from '#kernel/time/duration.ts';
import { judgeThreshold, type ThresholdMemory } from '../detection/threshold.ts';
import { estimate, exact } from '../detection/verdict.ts';
import { SYNC_FAILING_MINUTES, UNPRICED_MINUTES } from '../config.ts';
import type { Evidence } from '../figures/evidence.ts';
import type { LiveFigures, UnpricedModel } from '../figures/live-figures.step.ts';
import { count, instantWords } from '../figures/words.ts';
import { PAGES } from '../figures/page-path.ts';
import { type GroupJudgement, memoryOf, plainJudgement, type RuleAt, unsettledGroups } from './judged.ts';

interface SinceMemory {
  /** Time of the evaluation that first saw the condition, ISO 8601 UTC. */
  readonly since: string;
}

/** Fires if the condition has lasted for `minutes`. */
function lasting(rule: RuleAt, groupKey: string, isSo: boolean, minutes: number) {
  const since = memoryOf<SinceMemory>(rule, groupKey)?.since ?? rule.at.toISOString();
  if (!isSo) return plainJudgement({ state: 'OK', memory: null, end: 'RECOVERED' });
  const hasLasted = rule.at.getTime() - Date.parse(since) >= minutes * MINUTE_MS;
  return plainJudgement({ state: hasLasted ? 'FIRING' : 'PENDING', memory: { since }, end: null });
}

/** Grouped by provider and model. */
export function evaluateUnpriced(rule: RuleAt, { unpriced }: LiveFigures, document: string): GroupJudgement[] {
  const waiting = new Map(unpriced.map((model) => [JSON.stringify([model.provider, model.model]), model]));
  return [...new Set([...waiting.keys(), ...unsettledGroups(rule)])].map((groupKey) => {
    const model = waiting.get(groupKey);
    return {
      groupKey,
      groupName: nameOf(groupKey),
      severity: 'WARNING',
      judgement: lasting(rule, groupKey, model !== undefined, UNPRICED_MINUTES),
      evidence: {
        ...now(rule.at),
        sentence: model
          ? unpricedSentence(model)
          : `No events of ${nameOf(groupKey)} are waiting for a price any more.`,
        figures: [exact('events', String(model?.events ?? 0), 'count')],
        ...(model ? { windowStart: model.firstAt } : {}),
        query: { document, variables: {} },
        path: PAGES.waitingModels,
      },
    };
  });
}

function nameOf(groupKey: string): string {
  const [provider, model] = JSON.parse(groupKey) as [string | null, string];
  return provider === null ? model : `${model} (${provider})`;
}

function unpricedSentence({ provider, model, events, firstAt, reasons }: UnpricedModel): string {
  const name = provider === null ? model : `${model} (${provider})`;
  const since = instantWords(firstAt);
  return `${count(events)} ${events === 1 ? 'event' : 'events'} of ${name} ${events === 1 ? 'has' : 'have'} had no price since ${since}: ${reasons[0]}.`;
}

export function evaluateSync(rule: RuleAt, { connection }: LiveFigures, document: string): GroupJudgement[] {
  const isFailing = connection?.state === 'FAILING';
  const last = connection?.lastSyncAt ?? null;
  return [
    {
      groupKey: '',
      groupName: null,
      severity: 'CRITICAL',
      judgement: lasting(rule, '', isFailing, SYNC_FAILING_MINUTES),
      evidence: {
        ...now(rule.at),
        sentence: isFailing
          ? `${last === null ? 'The payment processor sync is failing' : `The payment processor has not been synced since ${instantWords(last)}`}: ${connection.error ?? 'the last step failed'}`
          : 'The payment processor is synced again.',
        figures: [],
        ...(last === null ? {} : { windowStart: last }),
        query: { document, variables: { unpriced: false, credits: false, connection: true, catalogue: false } },
        path: PAGES.payments,
      },
    },
  ];
}

/** Share of the plan's allotment and the remaining packs. Without a limit, credits are never low. */
export function evaluateCredits(rule: RuleAt, { credits }: LiveFigures, document: string): GroupJudgement[] {
  const left = credits?.creditsLeft ?? null;
  const whole = (credits?.allotment ?? 0) + (credits?.packsLeft ?? 0);
  const share = left === null ? null : (percent(units(left), units(whole)) ?? 0);
  const verdict = judgeThreshold(
    {
      value: share === null ? null : String(share),
      comparator: 'BELOW',
      threshold: rule.rule.parameters.value ?? '0',
      unit: 'percent',
    },
    memoryOf<ThresholdMemory>(rule, ''),
  );
  const noLimit = { state: 'OK', memory: null, end: 'NOT_APPLICABLE' } as const;
  return [
    {
      groupKey: '',
      groupName: null,
      severity: left === 0 ? 'CRITICAL' : 'WARNING',
      judgement: plainJudgement(share === null ? noLimit : verdict),
      evidence: {
        ...now(rule.at),
        sentence: `${count(left ?? 0)} of ${count(whole)} event credits are left (${percentText(share ?? 0)}).`,
        figures: [
          exact('credits_left', String(left ?? 0), 'count'),
          exact('credits', String(whole), 'count'),
          estimate('left', share, 'percent'),
        ],
        query: { document, variables: { unpriced: false, credits: true, connection: false, catalogue: false } },
        path: PAGES.credits,
      },
    },
  ];
}

/** Whole days since the prices of the catalogue were published. */
export function evaluateCatalogue(rule: RuleAt, { catalogue }: LiveFigures, document: string): GroupJudgement[] {
  const age = catalogue ? Math.floor((rule.at.getTime() - Date.parse(catalogue.publishedAt)) / DAY_MS) : null;
  const value = age === null ? null : String(Math.max(0, age));
  const verdict = judgeThreshold(
    { value, comparator: 'ABOVE', threshold: rule.rule.parameters.value ?? '0', unit: 'count' },
    memoryOf<ThresholdMemory>(rule, ''),
  );
  const noCatalogue = { state: 'OK', memory: null, end: 'NOT_APPLICABLE' } as const;
  return [
    {
      groupKey: '',
      groupName: null,
      severity: 'WARNING',
      judgement: plainJudgement(value === null ? noCatalogue : verdict),
      evidence: {
        ...now(rule.at),
        sentence: `The catalogue prices (${catalogue?.source ?? 'none'}) are ${value ?? '0'} days old.`,
        figures: [exact('age_days', value ?? '0', 'count')],
        query: { document, variables: { unpriced: false, credits: false, connection: false, catalogue: true } },
        path: PAGES.rates,
      },
    },
  ];
}

/** Converts a count to an amount, so that one function computes all shares. */
function units(number: number): bigint {
  return amount(String(number));
}

/** The window of a current state is a single instant. */
function now(at: Date): Pick<Evidence, 'windowStart' | 'windowEnd' | 'computedAt'> {
  const iso = at.toISOString();
  return { windowStart: iso, windowEnd: iso, computedAt: iso };
}
