/** Reads the bytes of a bill. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { readBody } from '../../../subgraphs/reconciliation/pulls/read-body.step.ts';

it('the bill reader keeps computing the same digest of a day, so that an unchanged day does not count as changed after an upgrade', async () => {
  const file =
    'start_time,end_time,amount_value,amount_currency,line_item\n1759795200,1759881600,0.9,usd,something new\n1759795200,1759881600,0.5,usd,another\n';
  const { days } = await readBody([Buffer.from(file)]);
  const content = (label: string, net: string) =>
    JSON.stringify([
      `["2025-10-07","2025-10-07","cost","openai","usage","${label}",null,null,null,"","USD",[]]`,
      ...[null, null, null, null, null, net],
    ]);
  const digest = createHash('sha256')
    .update(`${content('another', '0.5')}\n${content('something new', '0.9')}`)
    .digest('hex');
  expect(days.map((day) => day.digest)).toEqual([digest]);
});

it('the bill reader keeps costs and usage of one day apart, so that either can arrive without the other', async () => {
  const bucket = (...results: readonly object[]) => ({ start_time: 1_759_795_200, end_time: 1_759_881_600, results });
  const cost = { line_item: 'gpt-4o-mini, input', amount: { value: 0.9, currency: 'usd' } };
  const usage = { model: 'gpt-4o-mini', input_tokens: 6_000_000 };
  const daysOf = async (...results: readonly object[]) =>
    (await readBody([Buffer.from(JSON.stringify(bucket(...results)))])).days;
  const both = await daysOf(cost, usage);
  expect(both.map(({ day, part, lines }) => [day, part, lines.map(({ label }) => label)])).toEqual([
    ['2025-10-07', 'cost', ['gpt-4o-mini, input']],
    ['2025-10-07', 'usage', ['gpt-4o-mini, input']],
  ]);
  expect(both).toEqual([...(await daysOf(cost)), ...(await daysOf(usage))]);
});
