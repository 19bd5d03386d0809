import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { countSealed, type SealedColumn } from '#platform/database/sealed-column.ts';
import { query } from '#platform/database/sql.ts';
import type { Database } from '#platform/database/open-database.ts';
import { anonymous } from '#platform/principal.ts';
import type { Sealing } from '#platform/seal.ts';
import { resealValues, type ResealStep } from '#platform/subgraph/reseal-values.ts';
import { SEALED_COLUMNS } from '../../subgraphs/identity/sealed-values/sealed-columns.step.ts';
import { identity } from '../../subgraphs/identity/main.ts';
import { freshDatabase } from '../support/fresh-database.ts';
import { sealAsBefore } from '../support/seal-of-before.ts';
import { sealingUnder } from '../support/sealing.ts';

const OLD = 'the secret under which all was sealed';
const NEW = 'the secret under which all shall be sealed';
const LOST = 'the secret that nobody remembers any more';
const [, API_KEY] = SEALED_COLUMNS as [SealedColumn, SealedColumn];
const BOTH = sealingUnder(NEW, OLD);

let database: Database;
beforeEach(async () => {
  database = await freshDatabase(identity);
});
afterEach(() => database.close());

function rows<Row>(sql: string, parameters: unknown[] = []): Promise<Row[]> {
  return database.system((tx) => query<Row>(tx, sql, parameters));
}

async function insertKey(seal: (text: string, id: string) => Buffer | null): Promise<void> {
  const id = randomUUID();
  const sealed = seal(`key ${id}`, id);
  await rows(
    `insert into api_key (organization_id, id, account_user_id, hash, name, environment, scopes, sealed, created_at, created_by)
    values ($1, $2, $1, $3, 'k', $4, '{}', $5, now(), $1)`,
    [randomUUID(), id, randomBytes(32), sealed === null ? 'live' : 'test', sealed],
  );
}

function count(sealing: Sealing) {
  return database.system((tx) => countSealed(tx, sealing, API_KEY));
}

function step(sealing: Sealing, after: string | null, limit: number): Promise<ResealStep> {
  const context = {
    database,
    log: pino({ level: 'silent' }),
    principal: { ...anonymous('test'), kind: 'operator' as const },
  };
  return resealValues(context, sealing, SEALED_COLUMNS, { after, limit, discardUnreadable: false });
}

async function resealAll(sealing: Sealing, limit: number): Promise<ResealStep[]> {
  const steps: ResealStep[] = [];
  for (let after: string | null = null, isFirst = true; isFirst || after !== null; isFirst = false) {
    steps.push(await step(sealing, after, limit));
    after = steps.at(-1)!.after;
  }
  return steps;
}

/** Inserts this many keys of each kind, for many organizations. */
async function insertKeys(times: number): Promise<void> {
  for (let index = 0; index < times; index += 1) {
    await insertKey((text, id) => sealingUnder(OLD).seal(text, 'api-key', id));
    await insertKey((text, id) => sealAsBefore(text, OLD, 'api-key', id));
    await insertKey((text, id) => BOTH.seal(text, 'api-key', id));
    await insertKey((text, id) => sealingUnder(LOST).seal(text, 'api-key', id));
    await insertKey((text, id) => sealAsBefore(text, LOST, 'api-key', id));
    await insertKey(() => null);
  }
}

describe('sealed values', () => {
  it('are counted by key; those without a key id are counted by whether they decrypt', async () => {
    await insertKeys(3);
    const groups = await count(BOTH);
    const idOf = (secret: string) => sealingUnder(secret).ring.current.id;
    expect(groups).toHaveLength(5);
    expect(groups).toEqual(
      expect.arrayContaining([
        { keyId: idOf(OLD), count: 3, isReadable: true },
        { keyId: idOf(NEW), count: 3, isReadable: true },
        { keyId: idOf(LOST), count: 3, isReadable: false },
        { keyId: null, count: 3, isReadable: true },
        { keyId: null, count: 3, isReadable: false },
      ]),
    );
  });

  it('are re-encrypted in bounded steps, each once, and unreadable ones are left unchanged', async () => {
    await insertKeys(5);
    const unreadable = () =>
      rows<{ id: string; sealed: Buffer }>('select id, sealed from api_key where sealed is not null order by id').then(
        (all) => all.filter(({ id, sealed }) => BOTH.tryUnseal(sealed, 'api-key', id) === null),
      );
    const before = await unreadable();
    const steps = await resealAll(BOTH, 4);
    expect(Math.max(...steps.map(({ resealed, unreadable: left }) => resealed + left))).toBe(4);
    expect(steps.reduce((sum, { resealed }) => sum + resealed, 0)).toBe(10);
    expect(steps.reduce((sum, { unreadable: left }) => sum + left, 0)).toBe(10);
    expect(await unreadable()).toEqual(before);
    expect(before).toHaveLength(10);
    const alone = sealingUnder(NEW);
    for (const { id, sealed } of await rows<{ id: string; sealed: Buffer }>(
      'select id, sealed from api_key where sealed is not null',
    )) {
      expect([`key ${id}`, null]).toContain(alone.tryUnseal(sealed, 'api-key', id));
    }
    expect((await resealAll(BOTH, 100)).reduce((sum, { resealed }) => sum + resealed, 0)).toBe(0);
    expect(await rows('select act, detail from audit_record')).toContainEqual({
      act: 'secrets.resealed',
      detail: expect.stringContaining(`test keys, now under key ${alone.ring.current.id}`),
    });
  });

  it('survive an interruption, and re-encryption by two processes at once', async () => {
    await insertKeys(6);
    const first = await step(BOTH, null, 3);
    await step(BOTH, first.after, 3);
    const [one, other] = await Promise.all([resealAll(BOTH, 2), resealAll(BOTH, 5)]);
    expect([...one, ...other].reduce((sum, { resealed }) => sum + resealed, 0)).toBeLessThanOrEqual(12);
    expect((await count(sealingUnder(NEW))).filter(({ isReadable }) => isReadable)).toEqual([
      { keyId: BOTH.ring.current.id, count: 18, isReadable: true },
    ]);
  });

  it.each([
    ['nonsense', 10],
    ['9:00000000-0000-0000-0000-000000000000', 10],
    [null, 0],
    [null, 1_001],
  ])('a step after %s with limit %s is invalid', async (after, limit) => {
    await expect(step(BOTH, after, limit)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});
