/** `books bills`: import a file, compare, and exit with 2 while a settled day is unexplained. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { runBooks } from '../../../cli/books/run-books.ts';
import { post, settle } from '../../support/api-client.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';

let service: RunningService;
let key: string;
beforeAll(async () => {
  service = await sharedService();
  const { apiKeyCreate } = await operate(
    service,
    'mutation { apiKeyCreate(input: { name: "Bills", environment: "live", scopes: ["bills:write", "bills:read"] }) { createdApiKey { secret } userErrors { message } } }',
  );
  key = apiKeyCreate.createdApiKey.secret;
  const event = {
    model: 'gpt-4o-mini',
    input_tokens: 1_000_000,
    output_tokens: 0,
    event_invoked_at: '2026-10-07T10:00:00Z',
  };
  await post(service.url, '/usage-events', service.firstRun.live_ingest_key, usageEvent(event));
  await settle(service.url, service.firstRun.operator_token);
});
afterAll(() => service.stop());

const books = async (...words: string[]) => {
  const written = { out: '', err: '' };
  const into = (stream: keyof typeof written) => ({ write: (text: string) => (written[stream] += text) });
  const terminal = { stdout: into('out'), stderr: into('err'), readInput: async () => '' };
  const environment = { BOOKS_API_KEY: key, BOOKS_API_URL: service.url, HOME: service.dataDirectory };
  return { code: await runBooks(words, terminal, environment), ...written };
};
const DATES = ['--start', '2026-10-01', '--end', '2026-10-31'];

it('`bills` imports a bill, explains it, and exits with 2 only while a settled day is unexplained', async () => {
  const file = join(service.dataDirectory, 'costs.csv');
  const bill = (amount: string) =>
    writeFileSync(
      file,
      `start_time,end_time,amount_value,amount_currency,line_item\n1791331200,1791417600,${amount},usd,"gpt-4o-mini, input"\n`,
    );
  expect(await books('bills', 'compare', ...DATES)).toMatchObject({
    code: 0,
    out: expect.stringContaining('Days with a bill'),
  });
  bill('0.5');
  expect(await books('bills', 'import', file)).toEqual({
    code: 0,
    out: 'openai.costs, 2026-10-07 to 2026-10-07: 1 lines\n',
    err: '',
  });
  const differs = await books('bills', 'compare', ...DATES);
  expect([differs.code, differs.err]).toEqual([2, '']);
  expect(differs.out).toContain('0.35');
  const explained = await books('bills', 'explain', ...DATES);
  expect([explained.code, explained.out.includes('unexplained')]).toEqual([2, true]);
  const line = '1791331200,1791417600,2,eur,"gpt-4o-mini, input"\n1791331200,1791417600,3,usd,web search tool calls\n';
  writeFileSync(file, `start_time,end_time,amount_value,amount_currency,line_item\n${line}`);
  await books('bills', 'import', file);
  const csv = async (name: string) => (await books('bills', name, ...DATES, '--csv')).out.split(/\r?\n/);
  expect(await csv('compare')).toEqual([
    'day,source,state,billed,own,difference,unexplained,unknown_currencies,quantities,amounts',
    '2026-10-07,openai.costs,settled,5,0.15,,,EUR,unknown,differs',
    '',
  ]);
  expect(await csv('explain')).toEqual([
    'day,source,model,unit,cause,amount,detail',
    '2026-10-07,openai.costs,gpt-4o-mini,,unknown currency,2 EUR,unknown exchange rate',
    '2026-10-07,openai.costs,,searches,unexplained,3,',
    '',
  ]);
  bill('0.15');
  await books('bills', 'import', file);
  expect((await books('bills', 'compare', ...DATES, '--json')).code).toBe(0);
});
