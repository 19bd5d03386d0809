/** `books fixed`, for people and for scripts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBooks } from '../../../cli/books/run-books.ts';
import { postExt } from '../../support/api-client.ts';
import { PATIENCE } from '../../support/patience.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';

const JANUARY = { start_date: '2026-01-01', end_date: '2026-02-01' };
let service: ServiceWithEvents;
beforeAll(async () => {
  service = await serviceWithEvents([
    usageEvent({ cost_override: '0.5', user_id: 'ann', event_invoked_at: '2026-01-15T10:00:00Z' }),
  ]);
  await operate(
    service,
    `mutation { fixedCostSave(input: { key: "seats", name: "Seats", driver: EVENTS, capacityPerDay: "4",
       periods: [{ from: "2026-01-15", until: "2026-01-16", amount: "12", per: DAY, quantity: "2" }] }) { userErrors { message } } }`,
  );
});
afterAll(() => service.stop());

const books = (...words: string[]) => run('fixed', ...words);
const run = async (command: string, ...words: string[]) => {
  const written = { out: '', err: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  const terminal = { stdout: into('out'), stderr: into('err'), readInput: async () => '' };
  const environment = { BOOKS_API_KEY: service.firstRun.live_read_key, BOOKS_API_URL: service.url };
  const code = await runBooks([command, '--start', '2026-01-01', '--end', '2026-02-01', ...words], terminal, {
    ...environment,
    HOME: service.dataDirectory,
  });
  return { code, ...written };
};

it('`fixed` lists fixed costs, and the share of each customer in one of them', async () => {
  const total = async () =>
    (await postExt(service.url, '/fixed-costs', service.firstRun.live_read_key, JANUARY)).body.window.allocated_costs
      .total;
  await expect.poll(total, PATIENCE).toBe('24');
  const { code, out } = await books();
  expect([code, out]).toEqual([
    0,
    expect.stringMatching(/Idle\s+18[\s\S]*seats\s+Seats\s+events\s+24[.0]*\s+6[.0]*\s+18/),
  ]);
  expect((await books('--key', 'seats', '--csv')).out).toContain('ann,6');
  expect(JSON.parse((await books('--json')).out).fixed_costs).toMatchObject([{ key: 'seats' }]);
  expect(await books('--key', 'nothing')).toMatchObject({ err: expect.stringContaining('Unknown fixed cost') });
});

it('`fixed` shows adjustments without a customer, and the margin after fixed costs and adjustments', async () => {
  await operate(
    service,
    `mutation { costAdjustmentBook(input: { day: "2026-01-20", provider: "openai", amount: "2.5", note: "Storage" }) { userErrors { message } } }`,
  );
  expect((await books()).out).toMatch(/Adjustments without a customer\s+2\.5/);
  const { code, out } = await run('margin', '--after-fixed-costs');
  expect(code).toBe(0);
  // 0.5 + 24 + 2.5
  expect(out).toMatch(/Fixed costs\s+24[\s\S]*Adjustments without a customer\s+2\.5[\s\S]*Margin\s+-27(?:\.0+)? USD/);
  expect(out).toMatch(/ann\s+0[.0]*\s+0\.5[0]*\s+6[.0]*\s+-6\.5/);
  expect((await run('margin', '--after-fixed-costs', '--csv')).out).toContain('ann,0,0.5,6,-6.5,');
});
