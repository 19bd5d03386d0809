/** Imports of uploads while the database refuses part of the work. */
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { createLog } from '#platform/log.ts';
import { anonymous } from '#platform/principal.ts';
import { reconciliation } from '../../../subgraphs/reconciliation/main.ts';
import { listLines } from '../../../subgraphs/reconciliation/pulls/bill-line.table.ts';
import { importBill } from '../../../subgraphs/reconciliation/pulls/import-bill.operation.ts';
import { saveBillPart } from '../../../subgraphs/reconciliation/pulls/save-bill-part.operation.ts';
import { freshDatabase } from '../../support/fresh-database.ts';

it('reconciliation says what is wrong with a file, and that a bill is imported, even if the upload cannot be deleted', async () => {
  const database = await freshDatabase(reconciliation);
  await withClient(database.target, (client) =>
    client.query(`
      create function refuse() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$;
      create trigger refuse before delete on bill_upload for each row execute function refuse()`),
  );
  const principal = { ...anonymous(randomUUID()), kind: 'operator', organizationId: randomUUID() } as const;
  const context = { database, principal, log: createLog('silent') };
  const uploaded = async (text: string) => {
    const uploadId = randomUUID();
    await saveBillPart(context, { uploadId, part: 0, data: Buffer.from(text).toString('base64') });
    return importBill(context, { uploadId });
  };
  await expect(uploaded('hello,world\n1,2\n')).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining('columns match no known format'),
  });
  const bill =
    'start_time,end_time,amount_value,amount_currency,line_item\n1759795200,1759881600,0.9,usd,"gpt-5-mini, input"\n';
  expect(await uploaded(bill)).toMatchObject({ isNew: true, lines: 1 });
  await database.close();
});

it.each([[[0, 2]], [[1]]])(
  'reconciliation refuses an upload of which only the parts %j have arrived',
  async (parts) => {
    const database = await freshDatabase(reconciliation);
    const principal = { ...anonymous(randomUUID()), kind: 'operator', organizationId: randomUUID() } as const;
    const context = { database, principal, log: createLog('silent') };
    const uploadId = randomUUID();
    for (const part of parts)
      await saveBillPart(context, { uploadId, part, data: Buffer.from('a,b\n').toString('base64') });
    await expect(importBill(context, { uploadId })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'uploadId: upload not found, or a part of it is missing',
    });
    await database.close();
  },
);

it('reconciliation accepts 64 MiB in parts of 512 KiB, and no further part', async () => {
  const database = await freshDatabase(reconciliation);
  const principal = { ...anonymous(randomUUID()), kind: 'operator', organizationId: randomUUID() } as const;
  const context = { database, principal, log: createLog('silent') };
  const save = (part: number) => saveBillPart(context, { uploadId: randomUUID(), part, data: 'YQ==' });
  await save(127);
  for (const part of [-1, 129]) await expect(save(part)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  await database.close();
});

it('reconciliation replaces the costs of a day and keeps its usage, and vice versa', async () => {
  const database = await freshDatabase(reconciliation);
  const organizationId = randomUUID();
  const principal = { ...anonymous(randomUUID()), kind: 'operator', organizationId } as const;
  const context = { database, principal, log: createLog('silent') };
  const storedAfter = async (result: object) => {
    const bucket = { start_time: 1_759_795_200, end_time: 1_759_881_600, results: [result] };
    const { connectionId } = await importBill(context, { text: JSON.stringify(bucket) });
    const range = { organizationId, from: '2025-10-07', until: '2025-10-08', connectionId, max: 10 };
    const lines = (await database.snapshot(organizationId, (tx) => listLines(tx, range))).get(connectionId);
    return lines?.map(({ part, quantity, net }) => `${part} ${(net ?? quantity)?.toFixed()}`);
  };
  const cost = (value: number) => ({ line_item: 'gpt-4o-mini, input', amount: { value, currency: 'usd' } });
  const usage = (input_tokens: number) => ({ model: 'gpt-4o-mini', input_tokens });
  expect(await storedAfter(cost(0.9))).toEqual(['cost 0.9']);
  expect(await storedAfter(usage(5_000))).toEqual(['cost 0.9', 'usage 5000']);
  expect(await storedAfter(cost(0.6))).toEqual(['cost 0.6', 'usage 5000']);
  expect(await storedAfter(usage(4_000))).toEqual(['cost 0.6', 'usage 4000']);
  await database.close();
});
