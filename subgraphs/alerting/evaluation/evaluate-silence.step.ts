/** `NO_DATA`: a source of events is silent for longer than usual. Events that wait for a price are not silence. */
import { DAY_MS, HOUR_MS } from '#kernel/time/duration.ts';
import { judgeSilence, SILENCE_HISTORY_DAYS, type SilenceMemory } from '../detection/silence.ts';
import { SERIES_MAX } from '../config.ts';
import { hasEvents, HOURLY_COSTS, readHourlyEvents, seriesVariables } from '../figures/cost-figures.step.ts';
import { costsPath, narrowed } from '../figures/page-path.ts';
import { type GroupJudgement, memoryOf, plainJudgement, type RuleAt, unsettledGroups } from './judged.ts';
import { selectionOf } from './selection-of.ts';

export async function evaluateSilence(rule: RuleAt): Promise<GroupJudgement[]> {
  const { at, read, organizationId } = rule;
  const selection = selectionOf(rule.rule.parameters);
  const first = Math.floor(at.getTime() / HOUR_MS) * HOUR_MS - SILENCE_HISTORY_DAYS * DAY_MS;
  const window = { start: new Date(first).toISOString(), end: at.toISOString() };
  const series = await readHourlyEvents(read, window, selection, SERIES_MAX);
  const known = new Set(series.map(({ value }) => value ?? ''));
  const gone = unsettledGroups(rule).filter((key) => !known.has(key));
  const judged = [...series, ...gone.map((value) => ({ value, points: [] }))].map(
    async ({ value, points }): Promise<GroupJudgement> => {
      const groupKey = value ?? '';
      const filter = narrowed(selection.filter, { by: selection.by, dimension: selection.dimension }, value);
      const judge = (hasUnpricedEvents: boolean) =>
        judgeSilence(
          { hours: points, lastEventAt: null, hasUnpricedEvents, now: at },
          memoryOf<SilenceMemory>(rule, groupKey),
        );
      const byCosts = judge(false);
      // Events of this source that arrived and wait for a price are not silence; those of other sources do not count.
      const silent =
        byCosts.state === 'FIRING' ? { start: byCosts.memory.since ?? window.start, end: window.end } : null;
      const verdict = silent !== null && (await hasEvents(read, silent, filter)) ? judge(true) : byCosts;
      const hours = (name: string) => hoursText(verdict.figures.find((one) => one.name === name)?.value ?? 0);
      return {
        groupKey,
        groupName: value,
        severity: 'CRITICAL',
        judgement: plainJudgement(verdict),
        evidence: {
          sentence: `${value === null ? 'No events' : `No events from ${value}`} for ${hours('silent')} (usually at most ${hours('usual_gap')} apart).`,
          figures: verdict.figures,
          windowStart: window.start,
          windowEnd: window.end,
          computedAt: at.toISOString(),
          query: {
            document: HOURLY_COSTS,
            variables: { ...seriesVariables(window, { filter, by: null, dimension: null }, 1) },
          },
          path: costsPath(organizationId, window, filter, 'hour'),
        },
      };
    },
  );
  return Promise.all(judged);
}

/** `1 hour`, `24 hours`, `1.5 hours`. */
function hoursText(hours: number | string): string {
  const text = Number(hours).toFixed(1).replace(/\.0$/, '');
  return text === '1' ? '1 hour' : `${text} hours`;
}
