/**
 * Forecasts what the hours to come add up to from those that have passed: each hour the median of the same hour yesterday, the same hour a
 * week ago, and the median of its hour of the week at the recent level; no single one of them is misled by an outage, a spike or a weekend.
 * An estimate, not money: in doubles.
 */

export interface Forecast {
  readonly expected: number;
  /** Nine of ten forecasts like it came true between these two. */
  readonly low: number;
  readonly high: number;
  /** How many forecasts of the past the range is made of. */
  readonly pastForecasts: number;
}

const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
const PROFILE_WEEKS = 4;
/** What a forecast looks back on at least. */
const BACKGROUND_HOURS = 2 * WEEK_HOURS;
const PAST_FORECASTS_MIN = 7;
const PAST_FORECASTS_MAX = 40;
/** Less is no cost: a ratio to it says nothing. */
const NOTHING = 1e-12;
const TAIL = 0.05;

/** Hours of history below which there is no forecast: the background, and a week to forecast for the range. */
export const FORECAST_HOURS_MIN = BACKGROUND_HOURS + WEEK_HOURS;

/** `hours` is without gaps and ends where the `ahead` hours begin. Null for too short a history. */
export function forecastHours(hours: readonly number[], ahead: number): Forecast | null {
  if (hours.length < FORECAST_HOURS_MIN) return null;
  const expected = predictedSum(hours, hours.length, ahead);
  if (ahead === 0) return { expected: 0, low: 0, high: 0, pastForecasts: 0 };
  const horizon = longestHorizon(hours.length, ahead);
  const errors = pastErrors(hours, horizon);
  // Errors of days that do not know of each other grow with the root of their number.
  const widened = Math.sqrt(ahead / horizon);
  const at = (share: number) => quantile(errors, share) * widened;
  const scale = errors.length === 0 ? 0 : expected;
  return {
    expected,
    low: Math.max(0, Math.min(expected, expected + scale * at(TAIL))),
    high: Math.max(expected, expected + scale * at(1 - TAIL)),
    pastForecasts: errors.length,
  };
}

/** The nearest to what is forecast now of which enough were possible in the past. */
function longestHorizon(history: number, ahead: number): number {
  const longest = history - BACKGROUND_HOURS - (PAST_FORECASTS_MIN - 1) * DAY_HOURS;
  return Math.max(1, Math.min(ahead, longest));
}

/** What was wrong with forecasts that could have been made at the end of every day, as a part of what was forecast; ascending. */
function pastErrors(hours: readonly number[], horizon: number): number[] {
  const errors: number[] = [];
  for (
    let origin = hours.length - horizon;
    origin >= BACKGROUND_HOURS && errors.length < PAST_FORECASTS_MAX;
    origin -= DAY_HOURS
  ) {
    const forecast = predictedSum(hours, origin, horizon);
    if (forecast > NOTHING) errors.push((sum(hours, origin, origin + horizon) - forecast) / forecast);
  }
  return errors.sort((one, other) => one - other);
}

/** Of few values the outermost, for a range that is too narrow promises too much. */
function quantile(ascending: readonly number[], share: number): number {
  const place = share < 0.5 ? Math.floor((ascending.length + 1) * share) : Math.ceil((ascending.length + 1) * share);
  return ascending[Math.min(Math.max(place, 1), ascending.length) - 1] ?? 0;
}

/** What the `ahead` hours from `end` on are predicted to add up to, by those before. */
function predictedSum(hours: readonly number[], end: number, ahead: number): number {
  const profile = weekProfile(hours, end);
  const level = recentLevel(hours, end);
  const predicted: number[] = [];
  // What lies ahead itself is looked back on as it was predicted: a spike of the last day comes again in none.
  const at = (step: number) => (step < 0 ? hours[end + step] : predicted[step]) ?? 0;
  for (let step = 0; step < ahead; step++)
    predicted.push(middle(at(step - DAY_HOURS), at(step - WEEK_HOURS), (profile[step % WEEK_HOURS] ?? 0) * level));
  return sum(predicted, 0, ahead);
}

/** The last week next to what was usual before it: the median of its days, which one spike does not move. */
function recentLevel(hours: readonly number[], end: number): number {
  const begin = end - WEEK_HOURS;
  const usual = weekProfile(hours, begin);
  const ratios: number[] = [];
  for (let at = 0; at < WEEK_HOURS; at += DAY_HOURS) {
    const before = sum(usual, at, at + DAY_HOURS);
    if (before > NOTHING) ratios.push(sum(hours, begin + at, begin + at + DAY_HOURS) / before);
  }
  return ratios.length === 0 ? 1 : median(ratios);
}

/** The medians of the hours of the week, from the one that begins at `end` on, over at most four weeks before it. */
function weekProfile(hours: readonly number[], end: number): number[] {
  const values: number[] = [];
  return Array.from({ length: WEEK_HOURS }, (_, step) => {
    values.length = 0;
    for (let at = end + step - WEEK_HOURS; at >= Math.max(0, end - PROFILE_WEEKS * WEEK_HOURS); at -= WEEK_HOURS)
      values.push(hours[at] ?? 0);
    return median(values);
  });
}

function median(values: number[]): number {
  const ascending = values.sort((one, other) => one - other);
  const half = ascending.length >> 1;
  const upper = ascending[half] ?? 0;
  return ascending.length % 2 === 1 ? upper : ((ascending[half - 1] ?? 0) + upper) / 2;
}

function middle(one: number, other: number, third: number): number {
  return Math.max(Math.min(one, other), Math.min(Math.max(one, other), third));
}

/** From `start` until before `end`. */
function sum(values: readonly number[], start: number, end: number): number {
  let total = 0;
  for (let at = start; at < end; at++) total += values[at] ?? 0;
  return total;
}
