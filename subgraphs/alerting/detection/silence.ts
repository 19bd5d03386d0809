/**
 * `NO_DATA`: a source is silent for longer than max(2 h, 3 × the 99th percentile of its gaps at these hours). Its gaps are read from hourly
 * counts, so that a source of millions of events costs no more than a small one. Hours, not money: in doubles.
 */
import { HOUR_MS } from '../../../kernel/time/duration.ts';
import { percentile } from './statistics.ts';
import { type DetectedState, estimate, type Verdict } from './verdict.ts';

/** An hour of a source with at least one event. */
export interface ActiveHour {
  /** First instant of the hour, ISO 8601. */
  readonly hour: string;
  readonly events: number;
}

export interface SilenceInput {
  /** The last 28 days (`SILENCE_HISTORY_DAYS`), ascending; hours without an event may be left out. */
  readonly hours: readonly ActiveHour[];
  /** The source's last event where it is known to the second; else it is taken from `hours`. */
  readonly lastEventAt: string | null;
  /** Whether events have come since that have no price yet: who sends is not silent. */
  readonly hasUnpricedEvents: boolean;
  readonly now: Date;
}

export interface SilenceMemory {
  readonly state: DetectedState;
  /** Last event before the present silence. */
  readonly since: string | null;
  /** Silences that were reported: they are no gaps of the source. */
  readonly past: readonly { readonly from: string; readonly until: string }[];
}

export const SILENCE_HISTORY_DAYS = 28;
const SILENCE_HOURS_MIN = 2;
const GAPS_TIMES = 3;
const GAPS_SHARE = 0.99;
/** Gaps that began within so many hours of the day's time at which this one began. */
const SAME_HOURS = 1.5;
/**
 * Of a source that sends every hour there are 84, of one with office hours 60. Fewer say little about these hours: then all gaps are looked at.
 * With five, 47 series of the demo fell silent 67 times in 83 days, with fifty three times.
 */
const GAPS_OF_HOURS_MIN = 50;
/** A source that is not known for a week of activity has no rhythm yet. */
const LEARNING_GAPS = 20;
const LEARNING_HOURS = 7 * 24;

interface Gap {
  readonly fromMs: number;
  readonly untilMs: number;
}

export function judgeSilence(input: SilenceInput, previous: SilenceMemory | null): Verdict<SilenceMemory> {
  const past = (previous?.past ?? []).filter(
    ({ until }) => Date.parse(until) > input.now.getTime() - SILENCE_HISTORY_DAYS * 24 * HOUR_MS,
  );
  const active = input.hours.filter(({ events }) => events > 0);
  const lastMs = lastOf(input, active);
  if (lastMs === null) return verdict('LEARNING', { state: 'LEARNING', since: null, past }, [], null);
  const silentHours = input.hasUnpricedEvents ? 0 : Math.max(0, (input.now.getTime() - lastMs) / HOUR_MS);
  const gaps = gapsOf(active).filter(
    (gap) => !past.some(({ from, until }) => gap.fromMs < Date.parse(until) && gap.untilMs > Date.parse(from)),
  );
  const usual = usualGap(gaps, lastMs);
  const allowed = Math.max(SILENCE_HOURS_MIN, GAPS_TIMES * (usual ?? 0));
  const figures = [
    estimate('silent', silentHours, 'hours'),
    estimate('usual_gap', usual, 'hours'),
    estimate('allowed', allowed, 'hours'),
  ];
  if (previous?.state === 'FIRING') {
    const since = previous.since ?? new Date(lastMs).toISOString();
    // Over with an event that came later, not with a rhythm that was learned meanwhile.
    const isOver = input.hasUnpricedEvents || lastMs > Date.parse(since);
    if (!isOver) return verdict('FIRING', { state: 'FIRING', since, past }, figures, null);
    const until = new Date(input.hasUnpricedEvents ? input.now : lastMs).toISOString();
    return verdict('OK', { state: 'OK', since: null, past: [...past, { from: since, until }] }, figures, 'RECOVERED');
  }
  const firstMs = Date.parse(active[0]?.hour ?? input.now.toISOString());
  if (gaps.length < LEARNING_GAPS || lastMs - firstMs < LEARNING_HOURS * HOUR_MS)
    return verdict('LEARNING', { state: 'LEARNING', since: null, past }, figures, null);
  const isSilent = silentHours > allowed;
  const since = isSilent ? new Date(lastMs).toISOString() : null;
  return verdict(isSilent ? 'FIRING' : 'OK', { state: isSilent ? 'FIRING' : 'OK', since, past }, figures, null);
}

function verdict(
  state: DetectedState,
  memory: SilenceMemory,
  figures: Verdict<SilenceMemory>['figures'],
  end: Verdict<SilenceMemory>['end'],
): Verdict<SilenceMemory> {
  return { state, memory, figures, end };
}

/** The end of the last active hour where the instant is not known, so that a silence is never longer than it is. */
function lastOf({ lastEventAt, now }: SilenceInput, active: readonly ActiveHour[]): number | null {
  if (lastEventAt !== null) return Date.parse(lastEventAt);
  const last = active.at(-1);
  return last === undefined ? null : Math.min(now.getTime(), Date.parse(last.hour) + HOUR_MS);
}

/**
 * From active hour to active hour: the empty hours between them, and what is expected of the two themselves, which is one part of n + 1 for
 * n events spread by chance. Gaps within an hour are left out: they are the short ones.
 */
function gapsOf(active: readonly ActiveHour[]): Gap[] {
  return active.slice(1).map(({ hour, events }, index) => {
    const before = active[index]!;
    return {
      fromMs: Date.parse(before.hour) + HOUR_MS * (1 - 1 / (before.events + 1)),
      untilMs: Date.parse(hour) + HOUR_MS / (events + 1),
    };
  });
}

/** In hours; null of no gaps. */
function usualGap(gaps: readonly Gap[], lastMs: number): number | null {
  const same = gaps.filter(({ fromMs }) => hoursApart(fromMs, lastMs) <= SAME_HOURS);
  const chosen = same.length >= GAPS_OF_HOURS_MIN ? same : gaps;
  return percentile(
    chosen.map(({ fromMs, untilMs }) => (untilMs - fromMs) / HOUR_MS),
    GAPS_SHARE,
  );
}

/** Of the time of day, around midnight too. */
function hoursApart(oneMs: number, otherMs: number): number {
  const apart = (Math.abs(oneMs - otherMs) / HOUR_MS) % 24;
  return Math.min(apart, 24 - apart);
}
