import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastHours, FORECAST_HOURS_MIN } from '#kernel/forecast-hours.ts';

const WEEK = 168;
/** Busy by day, idle at night, half as busy at weekends. */
const usual = (hour: number) => (hour % 24 >= 8 && hour % 24 < 20 ? 10 : 1) * (Math.floor(hour / 24) % 7 < 5 ? 1 : 0.5);
const series = (hours: number, value: (hour: number) => number = usual) =>
  Array.from({ length: hours }, (_, hour) => value(hour));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe('a forecast of hours', () => {
  it('requires three weeks of history', () => {
    expect(forecastHours(series(FORECAST_HOURS_MIN - 1), 10)).toBeNull();
    expect(forecastHours(series(FORECAST_HOURS_MIN), 10)).not.toBeNull();
  });

  it('continues a weekly pattern without uncertainty', () => {
    const ahead = 400;
    const forecast = forecastHours(series(6 * WEEK), ahead)!;
    const expected = sum(series(6 * WEEK + ahead).slice(6 * WEEK));
    expect(forecast.expected).toBeCloseTo(expected, 6);
    expect(forecast.low).toBeCloseTo(expected, 6);
    expect(forecast.high).toBeCloseTo(expected, 6);
  });

  it('is not misled by one hour of a hundred times the cost', () => {
    const spiked = series(6 * WEEK, (hour) => usual(hour) * (hour === 6 * WEEK - 10 ? 100 : 1));
    const plain = sum(series(7 * WEEK).slice(6 * WEEK));
    expect(forecastHours(spiked, WEEK)!.expected / plain).toBeGreaterThan(0.9);
    expect(forecastHours(spiked, WEEK)!.expected / plain).toBeLessThan(1.1);
  });

  it('contains the actual value in about nine of ten cases, with noisy hours', () => {
    // A seeded noise generator: the same values in every run.
    let state = 42;
    const noise = () => ((state = (state * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648) * 0.8 + 0.6;
    const all = series(30 * WEEK, (hour) => usual(hour) * noise());
    const origins = Array.from({ length: 40 }, (_, index) => 10 * WEEK + index * 73);
    const held = origins.filter((origin) => {
      const { low, high } = forecastHours(all.slice(Math.max(0, origin - 90 * 24), origin), 240)!;
      const actual = sum(all.slice(origin, origin + 240));
      return low <= actual && actual <= high;
    });
    expect(held.length).toBeGreaterThanOrEqual(32);
  });

  it('has its lower bound below and its upper bound above, whatever the history', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.constant(0),
            fc.integer({ min: 1, max: 1e9 }).map((value) => value / 1e6),
          ),
          {
            minLength: FORECAST_HOURS_MIN,
            maxLength: FORECAST_HOURS_MIN + 400,
            size: 'max',
          },
        ),
        fc.integer({ min: 0, max: 744 }),
        (hours, ahead) => {
          const { low, expected, high } = forecastHours(hours, ahead)!;
          expect(low).toBeGreaterThanOrEqual(0);
          expect(low).toBeLessThanOrEqual(expected);
          expect(expected).toBeLessThanOrEqual(high);
          expect(Number.isFinite(high)).toBe(true);
        },
      ),
      { numRuns: 15 },
    );
  });
});
