/** Reads the bytes of a bill. */
import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { readBody } from '../../../subgraphs/reconciliation/pulls/read-body.step.ts';

it('keeps computing the same digest of a day, so that an unchanged day does not count as changed after an upgrade', async () => {
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
