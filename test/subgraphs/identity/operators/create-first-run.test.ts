import { afterEach, beforeEach, expect, test } from 'vitest';
import { anonymous } from '#platform/principal.ts';
import type { Database } from '#platform/database/open-database.ts';
import { identity } from '../../../../subgraphs/identity/main.ts';
import { createFirstRun, type FirstRun } from '../../../../subgraphs/identity/operators/create-first-run.operation.ts';
import { identifyCaller } from '../../../../subgraphs/identity/callers/identify-caller.operation.ts';
import { pino } from 'pino';
import { freshDatabase } from '../../../support/fresh-database.ts';
import { SEALING } from '../identity-builder.ts';

let database: Database;
beforeEach(async () => {
  database = await freshDatabase(identity);
});
afterEach(() => database.close());

const whose = (token: string, organizationId: string | null = null) =>
  identifyCaller(
    { database, log: pino({ level: 'silent' }), principal: anonymous('test') },
    'bearer',
    token,
    organizationId,
  );

test('the first start creates an operator, an organization and three working keys', async () => {
  const written: FirstRun[] = [];
  await createFirstRun(database, SEALING, (firstRun) => written.push(firstRun));
  const [first] = written;
  expect(await whose(first?.live_read_key ?? '')).toMatchObject({
    environment: 'live',
    grants: ['costs:read', 'revenue:read', 'usage:read', 'dimensions:read'],
    organizationId: first?.organization_id,
  });
  expect(await whose(first?.live_ingest_key ?? '')).toMatchObject({ environment: 'live', grants: ['usage:write'] });
  expect(await whose(first?.test_ingest_key ?? '')).toMatchObject({ environment: 'test', grants: ['usage:write'] });
  const token = first?.operator_token ?? '';
  expect(await whose(token)).toMatchObject({ kind: 'operator', organizationId: null, grants: ['operator'] });
  expect(await whose(token, first?.organization_id)).toMatchObject({ organizationId: first?.organization_id });
  expect(await whose(token, '00000000-0000-4000-8000-000000000000')).toMatchObject({ organizationId: null });
});

test('a start that dies before the file is written leaves nothing, and the next one starts over', async () => {
  await expect(
    createFirstRun(database, SEALING, () => {
      throw new Error('the disk is full');
    }),
  ).rejects.toThrow('the disk is full');
  const written: FirstRun[] = [];
  await createFirstRun(database, SEALING, (firstRun) => written.push(firstRun));
  expect(await whose(written[0]?.live_read_key ?? '')).not.toBeNull();
});

test('a later start, or another process at the same time, changes nothing', async () => {
  const written: FirstRun[] = [];
  await Promise.all([1, 2, 3].map(() => createFirstRun(database, SEALING, (firstRun) => written.push(firstRun))));
  await createFirstRun(database, SEALING, (firstRun) => written.push(firstRun));
  expect(written).toHaveLength(1);
});
