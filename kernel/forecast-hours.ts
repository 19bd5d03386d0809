/**
 * Forecasts the sum of future hours from past ones. Each hour is the median of three values: the same hour yesterday,
 * the same hour a week ago, and the usual value for that hour of the week at the recent level. The median is robust
 * against an outage, a spike or a weekend. The result is an estimate, so doubles are used.
 */

export interface Forecast {
  readonly expected: number;
  /** Nine of ten comparable past forecasts were within these bounds. */
  readonly low: number;
  readonly high: number;
  /** Number of past forecasts behind the range. */
  readonly pastForecasts: number;
}

const DAY_HOURS = 24;
const WEEK_HOURS = 7 * DAY_HOURS;
const PROFILE_WEEKS = 4;
/** Minimum history of a forecast. */
const BACKGROUND_HOURS = 2 * WEEK_HOURS;
const PAST_FORECASTS_MIN = 7;
const PAST_FORECASTS_MAX = 40;
/** Smaller values count as zero: a ratio to them is meaningless. */
const NOTHING = 1e-12;
const TAIL = 0.05;

/** Minimum hours of history: the background plus one week of past forecasts for the range. */
export const FORECAST_HOURS_MIN = BACKGROUND_HOURS + WEEK_HOURS;

interface History {
  readonly hours: readonly number[];
  /** See `weekProfile`. */
  readonly profileAt: (end: number) => readonly number[];
}

/** `hours` has no gaps and ends where the `ahead` hours begin. Returns null if the history is too short. */
export function forecastHours(hours: readonly number[], ahead: number): Forecast | null {
  if (hours.length < FORECAST_HOURS_MIN) return null;
  const history = { hours, profileAt: weekProfiles(hours) };
  const expected = predictedSum(history, hours.length, ahead);
  if (ahead === 0) return { expected: 0, low: 0, high: 0, pastForecasts: 0 };
  const horizon = longestHorizon(hours.length, ahead);
  const errors = pastErrors(history, horizon);
  // Errors of independent days grow with the square root of their number.
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

/** The longest horizon, up to the requested one, for which enough past forecasts exist. */
function longestHorizon(history: number, ahead: number): number {
  const longest = history - BACKGROUND_HOURS - (PAST_FORECASTS_MIN - 1) * DAY_HOURS;
  return Math.max(1, Math.min(ahead, longest));
}

/** Relative errors of the forecasts that could have been made at the end of every past day, ascending. */
function pastErrors(history: History, horizon: number): number[] {
  const { hours } = history;
  const errors: number[] = [];
  for (
    let origin = hours.length - horizon;
    origin >= BACKGROUND_HOURS && errors.length < PAST_FORECASTS_MAX;
    origin -= DAY_HOURS
  ) {
    const forecast = predictedSum(history, origin, horizon);
    if (forecast > NOTHING) errors.push((sum(hours, origin, origin + horizon) - forecast) / forecast);
  }
  return errors.sort((one, other) => one - other);
}

/**
 * The quantile, rounded outwards: with few values it is the lowest or the highest one, because a range that is too
 * narrow would mislead.
 */
function quantile(ascending: readonly number[], share: number): number {
  const place = share < 0.5 ? Math.floor((ascending.length + 1) * share) : Math.ceil((ascending.length + 1) * share);
  return ascending[Math.min(Math.max(place, 1), ascending.length) - 1] ?? 0;
}

/** Predicted sum of the `ahead` hours from `end`, from the hours before. */
function predictedSum(history: History, end: number, ahead: number): number {
  const { hours, profileAt } = history;
  const profile = profileAt(end);
  const level = recentLevel(history, end);
  const predicted: number[] = [];
  // Later hours look back on predicted values, so that a spike of the last day is not repeated.
  const at = (step: number) => (step < 0 ? hours[end + step] : predicted[step]) ?? 0;
  for (let step = 0; step < ahead; step++)
    predicted.push(middle(at(step - DAY_HOURS), at(step - WEEK_HOURS), (profile[step % WEEK_HOURS] ?? 0) * level));
  return sum(predicted, 0, ahead);
}

/** Ratio of the last week to the weeks before it: the median over its days, which a single spike does not change. */
function recentLevel({ hours, profileAt }: History, end: number): number {
  const begin = end - WEEK_HOURS;
  const usual = profileAt(begin);
  const ratios: number[] = [];
  for (let at = 0; at < WEEK_HOURS; at += DAY_HOURS) {
    const before = sum(usual, at, at + DAY_HOURS);
    if (before > NOTHING) ratios.push(sum(hours, begin + at, begin + at + DAY_HOURS) / before);
  }
  return ratios.length === 0 ? 1 : median(ratios);
}

/** Past forecasts that are a week apart need the same profile, so each is computed once. */
function weekProfiles(hours: readonly number[]): History['profileAt'] {
  const known = new Map<number, readonly number[]>();
  return (end) => {
    const profile = known.get(end) ?? weekProfile(hours, end);
    known.set(end, profile);
    return profile;
  };
}

/** Median per hour of the week, starting with the hour at `end`, over at most the four weeks before. */
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

/** Sum of the values from index `start` up to, but not including, `end`. */
function sum(values: readonly number[], start: number, end: number): number {
  let total = 0;
  for (let at = start; at < end; at++) total += values[at] ?? 0;
  return total;
}
