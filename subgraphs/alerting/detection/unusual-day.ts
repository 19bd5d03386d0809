/**
 * Decides if a settled day is unusual for its series (decision 57).
 *
 * ```
 * ref    the previous 28 days; the same weekday if it has three values, otherwise all; days without cost are excluded
 * m, s   median(ref), m · max(1.4826 · MAD of the recent residuals, each as a fraction of its own m; 0.03)
 * z      (x − m) / s        rel = x / m − 1
 * ```
 *
 * `PENDING`: z > 3, rel > 0.30 and a material difference. `FIRING`: two such days in a row, or one with rel > 2. Ends after two
 * days in a row with z < 2 or rel < 0.15.
 *
 * Days of an episode do not enter ref, so that an anomaly never becomes its own baseline. After three weeks its level is accepted as the
 * usual one. In place of episode days ref reaches further back, because a ref of few days cannot distinguish weekdays.
 *
 * Only upward deviations count; `silence.ts` handles sources that fall silent. Statistics, not money, so doubles.
 */
import { DAY_MS } from '#kernel/time/duration.ts';
import { median, robustSigma } from './statistics.ts';
import type { DetectedEnd, DetectedState } from './verdict.ts';

/** Value of a day, `YYYY-MM-DD`. Null if the day has no meaningful value, for example too few events. */
export interface DayValue {
  readonly day: string;
  readonly value: number | null;
}

/** Plain JSON. `through` is the last judged day: each day is judged once. */
export interface UnusualDayMemory {
  readonly state: DetectedState;
  readonly through: string | null;
  readonly pendingDays: number;
  readonly clearDays: number;
  /** Days of the current episode, and of earlier ones as long as they would be in ref. */
  readonly episodeDays: readonly string[];
  /** First day of the current episode, including the pending day before it fired. */
  readonly since: string | null;
}

export interface UnusualDay {
  readonly memory: UnusualDayMemory;
  readonly end: DetectedEnd | null;
  /** Null without a day to compare with. `z` and `rel` are infinite if the usual value is zero. */
  readonly usual: { readonly m: number; readonly s: number; readonly z: number; readonly rel: number } | null;
}

const REFERENCE_DAYS = 28;
const DAYS_OF_WEEK = 7;
/** After this length the episode's level is the usual one, and the episode is accepted. */
const EPISODE_DAYS_MAX = 21;
/** Number of days that the reference can reach back when it skips the days of an episode. */
const REACH_DAYS = REFERENCE_DAYS + EPISODE_DAYS_MAX;
/** Days read before the judged day: its reference, and the reference of the oldest residual. */
export const HISTORY_DAYS = REACH_DAYS + REFERENCE_DAYS + DAYS_OF_WEEK;
const LEARNING_DAYS = 21;
const ACTIVE_DAYS_MIN = 3;
const RESIDUAL_VALUES_MIN = 7;
const SIGMA_OF_M_MIN = 0.03;
const PENDING_Z = 3;
const PENDING_REL = 0.3;
const FIRING_REL = 2;
const CLEAR_Z = 2;
const CLEAR_REL = 0.15;
const DAYS_IN_A_ROW = 2;

const NOTHING_REMEMBERED: UnusualDayMemory = {
  state: 'LEARNING',
  through: null,
  pendingDays: 0,
  clearDays: 0,
  episodeDays: [],
  since: null,
};

/**
 * Judges one day of a series. `values` contain the settled days before it (`HISTORY_DAYS`, fewer for a younger series;
 * missing days never existed) and the day itself. A day at or before the last judged one changes nothing. `isMaterial`
 * receives x − m and applies an absolute floor.
 */
export function judgeUnusualDay(
  values: readonly DayValue[],
  day: string,
  previous: UnusualDayMemory | null,
  isMaterial: (difference: number) => boolean,
): UnusualDay {
  const before = previous ?? NOTHING_REMEMBERED;
  if (before.through !== null && before.through >= day) return { memory: before, end: null, usual: null };
  const at = dayNumber(day);
  const oldest = dayText(at - HISTORY_DAYS);
  const series: Series = new Map(
    values.flatMap((point) => (point.day < oldest || point.day > day ? [] : [[dayNumber(point.day), point.value]])),
  );
  const value = series.get(at) ?? null;
  const episodeDays = before.episodeDays.filter((each) => each >= oldest);
  // A day without a value is skipped: a pending state stays pending.
  if (value === null) return { memory: { ...before, episodeDays, through: day }, end: null, usual: null };
  const learned = [...series].filter(([each, known]) => each < at && known !== null).length;
  const usual = usualOf(series, new Set(episodeDays.map(dayNumber)), at, value);
  if (usual === null || (learned < LEARNING_DAYS && before.state !== 'FIRING'))
    return { memory: { ...NOTHING_REMEMBERED, episodeDays, through: day }, end: null, usual };
  return { ...nextMemory({ ...before, episodeDays }, day, usual, isMaterial(value - usual.m)), usual };
}

function nextMemory(
  before: UnusualDayMemory,
  day: string,
  { z, rel }: { readonly z: number; readonly rel: number },
  isMaterial: boolean,
): { memory: UnusualDayMemory; end: DetectedEnd | null } {
  const episodeDays = [...before.episodeDays, day];
  if (before.state === 'FIRING') {
    const clearDays = z < CLEAR_Z || rel < CLEAR_REL ? before.clearDays + 1 : 0;
    const ok = { ...NOTHING_REMEMBERED, state: 'OK', through: day } as const;
    if (clearDays >= DAYS_IN_A_ROW) return { memory: { ...ok, episodeDays }, end: 'RECOVERED' };
    const lasted = before.since === null ? 0 : dayNumber(day) - dayNumber(before.since) + 1;
    // Episode days are no longer excluded: the following days are compared with the new level.
    if (lasted >= EPISODE_DAYS_MAX) return { memory: ok, end: 'ACCEPTED' };
    return { memory: { ...before, through: day, clearDays, episodeDays }, end: null };
  }
  const isPending = z > PENDING_Z && rel > PENDING_REL && isMaterial;
  if (!isPending) {
    // A pending day that was not confirmed is not an episode, so it enters ref.
    const others = before.episodeDays.filter((each) => before.since === null || each < before.since);
    return {
      memory: { ...NOTHING_REMEMBERED, state: 'OK', through: day, episodeDays: others },
      end: null,
    };
  }
  const pendingDays = before.pendingDays + 1;
  // Without a usual value there is no ratio, so it takes two days until the state is firing.
  const isFiring = pendingDays >= DAYS_IN_A_ROW || (rel > FIRING_REL && Number.isFinite(rel));
  return {
    memory: {
      state: isFiring ? 'FIRING' : 'PENDING',
      through: day,
      pendingDays,
      clearDays: 0,
      episodeDays,
      since: before.since ?? day,
    },
    end: null,
  };
}

type Series = ReadonlyMap<number, number | null>;
type Days = ReadonlySet<number>;

/** Null without a day to compare with. */
function usualOf(series: Series, episode: Days, at: number, value: number): UnusualDay['usual'] {
  const reference = referenceOf(series, episode, at);
  if (reference.length === 0) return null;
  const m = median(reference);
  const residuals: number[] = [];
  for (const day of referenceDays(episode, at)) {
    const known = series.get(day) ?? null;
    if (known === null || valuesBefore(series, episode, day).length < RESIDUAL_VALUES_MIN) continue;
    const then = median(referenceOf(series, episode, day));
    if (then > 0 && isActive(known)) residuals.push(known / then - 1);
  }
  const s = m * Math.max(robustSigma(residuals), SIGMA_OF_M_MIN);
  return { m, s, z: ratio(value - m, s), rel: ratio(value - m, m) };
}

/**
 * Values of the same weekday if there are three, otherwise of all days. Days without cost are excluded: active days
 * are compared with active ones.
 */
function referenceOf(series: Series, episode: Days, at: number): number[] {
  const weekday = valuesBefore(series, episode, at, DAYS_OF_WEEK).filter(isActive);
  if (weekday.length >= ACTIVE_DAYS_MIN) return weekday;
  const all = valuesBefore(series, episode, at);
  const active = all.filter(isActive);
  return active.length >= ACTIVE_DAYS_MIN ? active : all;
}

function isActive(value: number): boolean {
  return value > 0;
}

function valuesBefore(series: Series, episode: Days, at: number, step = 1): number[] {
  return referenceDays(episode, at, step).flatMap((day) => series.get(day) ?? []);
}

/**
 * The previous 28 days, newest first, or every `step`th of them. Days of episodes are excluded, and earlier days
 * replace them.
 */
function referenceDays(episode: Days, at: number, step = 1): number[] {
  const days: number[] = [];
  for (let day = at - step; days.length < REFERENCE_DAYS / step && day >= at - REACH_DAYS; day -= step)
    if (!episode.has(day)) days.push(day);
  return days;
}

/** Any amount above zero is infinitely more than zero. */
function ratio(difference: number, of: number): number {
  return of === 0 ? (difference > 0 ? Infinity : 0) : difference / of;
}

/** Days since 1970. */
export function dayNumber(day: string): number {
  return Math.round(Date.parse(day) / DAY_MS);
}

function dayText(number: number): string {
  return new Date(number * DAY_MS).toISOString().slice(0, 10);
}
