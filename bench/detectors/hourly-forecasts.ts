/** M4's 414 hourly series: forecasts the last 48 hours of each from the hours before. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { forecastHours } from '#kernel/forecast-hours.ts';

export interface HourlySeries {
  readonly before: readonly number[];
  readonly actual: readonly number[];
}

const DAY_HOURS = 24;

export function readM4(folder: string): HourlySeries[] {
  const rows = (path: string) =>
    readFileSync(join(folder, path), 'utf8')
      .trim()
      .split(/\r?\n/)
      .slice(1)
      .map((line) =>
        line
          .split(',')
          .slice(1)
          .map((cell) => cell.replaceAll('"', ''))
          .filter((cell) => cell !== '' && cell !== 'NA')
          .map(Number),
      );
  const after = rows('Dataset/Test/Hourly-test.csv');
  return rows('Dataset/Train/Hourly-train.csv').map((before, index) => ({ before, actual: after[index] ?? [] }));
}

export interface ForecastResult {
  /** Mean over the series, percent. */
  readonly smape: number;
  /** sMAPE of repeating the previous day. */
  readonly naiveSmape: number;
  /** Share of two-day totals within the range of the forecast. */
  readonly held: number;
}

export function measureForecasts(all: readonly HourlySeries[]): ForecastResult {
  const results = all.map(({ before, actual }) => {
    const sums = actual.map((_, index) => forecastHours(before, index + 1));
    const hourly = sums.map((sum, index) => (sum?.expected ?? 0) - (sums[index - 1]?.expected ?? 0));
    const range = sums.at(-1);
    const total = actual.reduce((sum, value) => sum + value, 0);
    return {
      smape: smape(hourly, actual),
      naive: smape(
        actual.map((_, index) => before[before.length - DAY_HOURS + (index % DAY_HOURS)] ?? 0),
        actual,
      ),
      isHeld: range != null && range.low <= total && total <= range.high,
    };
  });
  const mean = (of: (result: (typeof results)[number]) => number) =>
    results.reduce((sum, result) => sum + of(result), 0) / results.length;
  return {
    smape: mean((result) => result.smape),
    naiveSmape: mean((result) => result.naive),
    held: mean((result) => Number(result.isHeld)),
  };
}

function smape(forecast: readonly number[], actual: readonly number[]): number {
  const errors = actual.map((value, index) => {
    const size = Math.abs(value) + Math.abs(forecast[index] ?? 0);
    return size === 0 ? 0 : (200 * Math.abs(value - (forecast[index] ?? 0))) / size;
  });
  return errors.reduce((sum, error) => sum + error, 0) / errors.length;
}
