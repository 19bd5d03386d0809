import { describe, expect, it } from 'vitest';
import { CUSTOMER_MODELS } from '../../bench/workload/customer.ts';
import { usageEvent } from '../../bench/workload/usage-event.ts';

const BEFORE = new Date('2026-06-01T00:00:00Z');
const DAY_MS = 86_400_000;
const COUNT = 60_000;

const live = Array.from({ length: COUNT }, (_, number) => usageEvent(number, `key-${number}`, BEFORE));
const history = Array.from({ length: COUNT }, (_, number) => usageEvent(number, `key-${number}`, BEFORE, 'history'));
const age = (event: { event_invoked_at: string }) => BEFORE.getTime() - Date.parse(event.event_invoked_at);
const share = (events: readonly object[], isIn: (event: never) => boolean) =>
  (events as readonly never[]).filter(isIn).length / events.length;
const values = (of: (event: (typeof live)[number]) => string) => new Set(live.map(of)).size;

describe('the workloads of the benchmarks', () => {
  it('are the same in every run', () => {
    expect(usageEvent(7, 'key', BEFORE, 'history')).toEqual(usageEvent(7, 'key', BEFORE, 'history'));
    expect(usageEvent(7, 'key', BEFORE)).not.toEqual(usageEvent(8, 'key', BEFORE));
  });

  it('have the shares that the customer stated', () => {
    type Event = (typeof live)[number];
    expect(share(live, (event: Event) => event.session_id !== undefined)).toBeCloseTo(0.2, 2);
    expect(share(live, (event: Event) => event.experiment !== undefined)).toBeCloseTo(0.05, 2);
    expect(share(live, (event: Event) => event.cache_read_input_tokens !== undefined)).toBeCloseTo(0.4, 2);
    // 1 / (1 + 2 ** -1.05 + … + 20000 ** -1.05) and 1 / (1 + 2 ** -1.1 + … + 400 ** -1.1).
    expect(share(live, (event: Event) => event.user_id === 'customer-0')).toBeCloseTo(0.119, 2);
    expect(share(live, (event: Event) => event.agent_id === 'agent-0')).toBeCloseTo(0.196, 2);
  });

  it("have as many distinct values as the customer's events", () => {
    expect(values(({ model }) => model)).toBe(30);
    expect(values(({ agent_id }) => agent_id)).toBe(400);
    expect(values(({ user_id }) => user_id)).toBeGreaterThan(8_000);
    expect(values(({ metadata }) => metadata.team)).toBe(12);
    expect(values(({ metadata }) => metadata.tier)).toBe(5);
    expect(values(({ metadata }) => metadata.region)).toBe(4);
    expect(Object.keys(live[0]!.metadata)).toHaveLength(5);
  });

  it('are up to a minute old, or up to 88 days old with a third of them from the last day', () => {
    expect(Math.max(...live.map(age))).toBeLessThanOrEqual(60_000);
    const ages = history.map(age);
    expect(Math.max(...ages)).toBeLessThanOrEqual(88 * DAY_MS);
    expect(ages.filter((each) => each <= DAY_MS).length / COUNT).toBeCloseTo(1 / 3, 2);
    const days = new Set(ages.map((each) => Math.floor(each / DAY_MS)));
    expect(days.size).toBe(88);
  });

  it('have no model name that is a prefix of another', () => {
    const names = CUSTOMER_MODELS.map(({ name }) => name);
    expect(names.filter((name) => names.some((other) => other !== name && name.startsWith(other)))).toEqual([]);
  });
});
