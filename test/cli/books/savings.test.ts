/** `books savings`, `credits`, `commitments`, `allowances` and `margin --reporting-currency`, for people and for scripts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBooks } from '../../../cli/books/run-books.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { PATIENCE } from '../../support/patience.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';

let service: ServiceWithEvents;
beforeAll(async () => {
  const call = { model: 'gpt-4o', provider: 'openai', cost_override: '0.5', event_invoked_at: '2026-01-15T10:00:00Z' };
  service = await serviceWithEvents([usageEvent(call)]);
});
afterAll(() => service.stop());

const books = (command: string, ...words: string[]) =>
  run([command, '--start', '2026-01-01', '--end', '2026-02-01', ...words]);
const run = async (words: readonly string[]) => {
  let out = '';
  const terminal = {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: () => true },
    readInput: async () => '',
  };
  const environment = { BOOKS_API_KEY: service.firstRun.live_read_key, BOOKS_API_URL: service.url };
  const code = await runBooks(words, terminal, {
    ...environment,
    HOME: service.dataDirectory,
  });
  return { code, out };
};

it('`savings` prints list and contracted costs by agreement', async () => {
  expect(await books('savings')).toEqual({
    code: 0,
    out: expect.stringMatching(/At list prices\s+0\.5[\s\S]*openai\s+no agreement/),
  });
  expect((await books('savings', '--csv')).out).toContain('openai,no agreement,0.5,0.5,0');
});

it('`credits` prints the remaining credits', async () => {
  expect((await books('credits')).out).toContain('No credits');
  await operate(
    service,
    `mutation { providerCreditSave(input: { provider: "openai", name: "Startup", amount: "10", from: "2026-01-01" }) { userErrors { message } } }`,
  );
  await expect
    .poll(async () => (await books('credits', '--csv')).out, PATIENCE)
    .toContain('Startup,openai,credit,10,0.5,0,9.5');
});

it('`commitments` prints commitments with their periods', async () => {
  expect((await books('commitments')).out).toContain('No commitments');
  await operate(
    service,
    `mutation { commitmentSave(input: { provider: "openai", name: "Enterprise", amount: "10", period: MONTH, from: "2026-01-01", until: "2026-03-01" }) { userErrors { message } } }`,
  );
  await expect
    .poll(async () => (await books('commitments', '--csv')).out, PATIENCE)
    .toContain('Enterprise,openai,2026-01-01,2026-02-01,10,0.5,0,9.5,missed');
});

it('`agreements` prints each discount with the days on which it applies', async () => {
  const agreements = async () => {
    const { out } = await run(['agreements']);
    return out.split('\n').map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));
  };
  expect(await agreements()).toContain('No agreements');
  await operate(
    service,
    `mutation { agreementSave(input: { provider: "openai", name: "Enterprise", reference: "C-1", from: "2026-01-01", until: "2027-01-01",
       discounts: [{ percent: "12.5" }, { percent: "20", models: ["gpt-4o*", "o3"], classes: ["input"], from: "2026-02-01", until: "2026-03-01" }] }) { userErrors { message } } }`,
  );
  const lines = await agreements();
  expect(lines[0]).toBe('Provider | Agreement | From | Until | In force | Percent off | Models | Classes');
  expect(lines.slice(2, 4)).toEqual([
    expect.stringMatching(/^openai \| Enterprise \| 2026-01-01 \| 2027-01-01 \| (yes|no) \| 12\.5 \| all \| all$/),
    expect.stringMatching(
      /^openai \| Enterprise \| 2026-02-01 \| 2026-03-01 \| (yes|no) \| 20 \| gpt-4o\*, o3 \| input$/,
    ),
  ]);
});

it('`allowances` prints allowances with their remaining amounts', async () => {
  expect((await books('allowances')).out).toContain('No allowances');
  await operate(
    service,
    `mutation { allowanceSave(input: { subject: AGENT, subjectId: "support", period: MONTH, amount: "100", policy: WARN }) { userErrors { message } } }`,
  );
  expect((await books('allowances', '--csv')).out).toContain('agent,support,month,warn,100,0,0,100,0');
});

it('`margin` prints the margin in the reporting currency', async () => {
  const { code, out } = await books('margin', '--reporting-currency');
  expect(code).toBe(0);
  expect(out).toMatch(
    /Revenue\s+0[.0]* USD[\s\S]*Cost\s+0\.5[0]* USD \(0\.5[0]* USD\)[\s\S]*Exchange differences\s+0[.0]* USD/,
  );
  expect((await books('margin', '--reporting-currency', '--after-fixed-costs')).code).not.toBe(0);
});
