import { expect, it } from 'vitest';
import { eventsOfDay } from '../../sample/events-of-day.ts';
import { parseUsageEvent } from '../../subgraphs/costing/events/parse-usage-event.ts';

const days = Array.from({ length: 90 }, (_, day) => ({
  day,
  date: new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10),
}));
const events = days.flatMap(({ date, day }) => eventsOfDay(date, day));

it('a day always has the same events, so a second run sends nothing new', () => {
  expect(eventsOfDay('2026-03-03', 61)).toEqual(eventsOfDay('2026-03-03', 61));
  expect(new Set(events.map((event) => event.idempotency_key)).size).toBe(events.length);
});

it('every event is valid for the API, and on its own day', () => {
  expect(events.map(parseUsageEvent).filter((parsed) => !parsed.ok)).toEqual([]);
  expect(
    events.filter((event) => !event.idempotency_key.startsWith(`demo-${event.event_invoked_at.slice(0, 10)}-`)),
  ).toEqual([]);
});

it('90 days contain 20,000 to 30,000 events, more on working days and more towards the end', () => {
  const count = (date: string, day: number) => eventsOfDay(date, day).length;
  expect(events.length).toBeGreaterThan(20_000);
  expect(events.length).toBeLessThan(30_000);
  expect(count('2026-02-07', 40)).toBeLessThan(count('2026-02-06', 40) / 2);
  expect(count('2026-02-06', 85)).toBeGreaterThan(count('2026-02-06', 5) * 2);
});

it('near the end a call is retried for two hours, a customer costs more than it pays, and a source stops sending', () => {
  const of = (name: string) => events.filter(({ idempotency_key }) => idempotency_key.includes(`-${name}-`));
  const day = (event: { event_invoked_at: string }) => event.event_invoked_at.slice(0, 10);
  expect(new Set(of('retry').map(day))).toEqual(new Set([days[88]!.date]));
  expect(of('retry')).toHaveLength(1_200);
  expect(new Set(of('report').map(({ user_id }) => user_id))).toEqual(new Set(['fjord-shipping']));
  expect(of('sync').at(-1)!.event_invoked_at).toBe(`${days[88]!.date}T17:07:00.000Z`);
  expect(of('sync').filter((event) => day(event) === days[40]!.date)).toHaveLength(24);
});

it('parts never exceed their total', () => {
  const number = (value: unknown) => (typeof value === 'number' ? value : 0);
  expect(
    events.filter(
      (event) =>
        number(event['cache_read_input_tokens']) + number(event['cache_creation_input_tokens']) >
          number(event['input_tokens']) || number(event['reasoning_tokens']) > number(event['output_tokens']),
    ),
  ).toEqual([]);
});
