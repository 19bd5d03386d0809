import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ActiveHour, judgeSilence, type SilenceMemory } from '../../../../subgraphs/alerting/detection/silence.ts';

const HOUR_MS = 3_600_000;
/** A Monday. */
const START = Date.UTC(2026, 0, 5);
const at = (hour: number) => new Date(START + hour * HOUR_MS);
const hoursOf = (until: number, events: (hour: number) => number, from = Math.max(0, until - 28 * 24)): ActiveHour[] =>
  Array.from({ length: until - from }, (_, index) => from + index)
    .map((hour) => ({ hour: at(hour).toISOString(), events: events(hour) }))
    .filter((hour) => hour.events > 0);
const judge = (
  hours: readonly ActiveHour[],
  now: number,
  memory: SilenceMemory | null = null,
  hasUnpricedEvents = false,
) => judgeSilence({ hours, lastEventAt: null, hasUnpricedEvents, now: at(now) }, memory);
const always = () => 50;
const officeHours = (hour: number) => (hour % 24 >= 8 && hour % 24 < 18 && Math.floor(hour / 24) % 7 < 5 ? 30 : 0);
const DAY_20 = 20 * 24;

describe('the silence of a source', () => {
  it('is reported after two hours if the source never pauses', () => {
    const hours = hoursOf(DAY_20, always);
    expect(judge(hours, DAY_20 + 1.9).state).toBe('OK');
    const { state, figures } = judge(hours, DAY_20 + 2.1);
    expect(state).toBe('FIRING');
    expect(figures).toEqual([
      { name: 'silent', value: '2.1', unit: 'hours' },
      { name: 'usual_gap', value: '0.039216', unit: 'hours' },
      { name: 'allowed', value: '2', unit: 'hours' },
    ]);
  });

  it('is measured by the gaps at the same hours if the source pauses at night and at weekends', () => {
    // The source stops on Thursday at noon: gaps that begin around noon are short.
    const noon = 24 * 24 + 12;
    expect(judge(hoursOf(noon, officeHours), noon + 2.2).state).toBe('FIRING');
    // Every hour of four weeks, nights and weekends included: never an alarm.
    const alarms = Array.from({ length: 28 * 24 }, (_, index) => 14 * 24 + index).filter(
      (now) => judge(hoursOf(now, officeHours), now).state === 'FIRING',
    );
    expect(alarms).toEqual([]);
  });

  it('is measured by the longest gap, whenever it was, if the source sends occasionally', () => {
    // Six hours apart, except for one night of eighteen.
    const sparse = (hour: number) => (hour % 6 === 0 && (hour < 240 || hour >= 258) ? 1 : 0);
    const hours = hoursOf(DAY_20, sparse);
    expect(judge(hours, DAY_20 + 47).state).toBe('OK');
    expect(judge(hours, DAY_20 + 70).state).toBe('FIRING');
  });

  it('is not reported while events wait to be priced', () => {
    expect(judge(hoursOf(DAY_20, always), DAY_20 + 30, null, true).state).toBe('OK');
  });

  it('is not evaluated for a source younger than a week', () => {
    expect(judge(hoursOf(6 * 24, always), 6 * 24 + 30).state).toBe('LEARNING');
    expect(judge([], 30).state).toBe('LEARNING');
  });

  it('ends with the next event, and does not count as a gap of the source', () => {
    const silent = judge(hoursOf(DAY_20, always), DAY_20 + 12);
    const still = judge(hoursOf(DAY_20, always), DAY_20 + 100, silent.memory);
    expect([still.state, still.end]).toEqual(['FIRING', null]);
    const later = (until: number) => hoursOf(until, (hour) => (hour >= DAY_20 && hour < DAY_20 + 101 ? 0 : 50));
    const back = judge(later(DAY_20 + 103), DAY_20 + 103, still.memory);
    expect([back.state, back.end]).toEqual(['OK', 'RECOVERED']);
    expect(back.memory.past).toHaveLength(1);
    // The source becomes silent again, and this is found as quickly as the first time.
    expect(judge(later(DAY_20 + 120), DAY_20 + 122.5, back.memory).state).toBe('FIRING');
    // Without that memory, the long silence would count as its rhythm.
    expect(judge(hoursOf(DAY_20, always), DAY_20 + 12, back.memory).state).toBe('FIRING');
  });

  it('is never reported within two hours, and lasts until an event arrives', () => {
    const rhythm = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 24, maxLength: 24 });
    fc.assert(
      fc.property(
        rhythm,
        fc.integer({ min: 8 * 24, max: 20 * 24 }),
        fc.integer({ min: 0, max: 72 }),
        (day, until, silent) => {
          const hours = hoursOf(until, (hour) => day[hour % 24]!);
          const first = judge(hours, until + silent);
          if (silent < 2) expect(first.state).not.toBe('FIRING');
          if (first.state !== 'FIRING') return;
          const memory = JSON.parse(JSON.stringify(first.memory)) as SilenceMemory;
          expect(judge(hours, until + silent + 1, memory).state).toBe('FIRING');
        },
      ),
    );
  });
});
