import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { query } from '#platform/database/sql.ts';
import { makeSubgraph } from '#platform/subgraph/subgraph.ts';
import { runJobs } from '#platform/job-loop.ts';
import { plain } from '#kernel/money.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { addCustomer } from '../../../../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../../../../packages/stripe-stand-in/invoices.ts';
import { junk, serverError, slow } from '../../../../packages/stripe-stand-in/faults.ts';
import { at, KEY, type RevenueService, startRevenue } from '../revenue-builder.ts';

const CONNECT =
  'mutation ($input: RevenueConnectInput!) { revenueConnect(input: $input) { connection { id processor state keyEnding apiBase endUserKey error lastSyncAt runs { nodes { id } } } userErrors { message code } } }';
const month = { start: at('2026-01-01T00:00:00Z'), end: at('2026-02-01T00:00:00Z') };

let service: RevenueService;
beforeEach(async () => {
  service = await startRevenue();
});
afterEach(() => service.close());

async function ask(
  document: string,
  variables: Record<string, unknown> = {},
  grants: readonly string[] = ['operator'],
) {
  const subgraph = inProcessSubgraph(makeSubgraph(revenue, service.dependencies));
  return subgraph.execute(document, variables, { ...service.context.principal, grants });
}

/** The first user error of the mutation CONNECT. */
async function refusal(input: Record<string, unknown>): Promise<{ message: string; code: string } | undefined> {
  const { data } = await ask(CONNECT, connectInput(input));
  return (data as Record<string, { userErrors: { message: string; code: string }[] }>)['revenueConnect']?.userErrors[0];
}

function connectInput(input: Record<string, unknown> = {}) {
  return { input: { apiKey: KEY, apiBase: service.standIn.url, ...input } };
}

describe('connecting', () => {
  it('tries the key at every list, and shows everything except the key', async () => {
    const { data } = await ask(CONNECT, connectInput());
    expect(data).toEqual({
      revenueConnect: {
        connection: {
          id: expect.any(String),
          processor: 'stripe',
          state: 'CONNECTED',
          keyEnding: 'd_in',
          apiBase: service.standIn.url,
          endUserKey: 'user_id',
          error: null,
          lastSyncAt: null,
          runs: { nodes: [] },
        },
        userErrors: [],
      },
    });
    expect(service.standIn.requests.map((request) => request.split('?')[0])).toEqual(
      ['customers', 'subscriptions', 'invoices', 'charges', 'credit_notes', 'refunds', 'disputes'].map(
        (list) => `GET /v1/${list}`,
      ),
    );
  });

  it("refuses a wrong key at once with the processor's reason, and stores nothing", async () => {
    expect(await refusal({ apiKey: 'rk_live_wrong_key_of_someone' })).toEqual({
      message: expect.stringMatching(/^The payment processor rejected the key: Invalid API Key provided/),
      code: 'VALIDATION_ERROR',
    });
    expect(await service.rows('select * from payment_connection')).toEqual([]);
  });

  it('refuses a key that lacks a permission of the sync, and names the permission', async () => {
    service.standIn.keys.set('rk_live_without_refunds', ['refunds']);
    expect((await refusal({ apiKey: 'rk_live_without_refunds' }))?.message).toMatch(
      /^The key lacks a permission: .*rak_refunds_read/,
    );
  });

  it('reports that the processor is unavailable, endlessly slow, or another server', async () => {
    service.standIn.faults.push(serverError(1));
    expect(await refusal({})).toEqual({
      message: expect.stringMatching(/^The payment processor cannot be reached/),
      code: 'VALIDATION_ERROR',
    });
    service.standIn.faults.push(junk(1, '<html>Welcome</html>'));
    expect((await refusal({}))?.message).toMatch(/^The payment processor cannot be reached/);
    service.standIn.faults.push(junk(1, { hello: 'world' }));
    expect((await refusal({}))?.message).toBe('The payment processor sent something that is not a list');
    expect((await refusal({ apiBase: 'http://127.0.0.1:1' }))?.message).toMatch(
      /^The payment processor cannot be reached/,
    );
  });

  it('never shows, stores or logs the key', async () => {
    service.standIn.faults.push(
      junk(1, { error: { type: 'invalid_request_error', message: `No such key ${KEY}` } }),
      serverError(3),
    );
    const answers = [await ask(CONNECT, connectInput()), await ask(CONNECT, connectInput())];
    service.standIn.faults.length = 0;
    answers.push(await ask(CONNECT, connectInput()));
    service.standIn.faults.push(slow(1, 5), {
      times: 2,
      act: ({ send }) =>
        send({
          status: 401,
          body: { error: { type: 'invalid_request_error', message: `Invalid API Key provided: ${KEY}` } },
        }),
    });
    for (let steps = 0; steps < 4; steps++) await service.step();
    answers.push(await ask('{ revenueConnection { state error runs { nodes { error } } } }'));
    const stored = await service.rows<{ row: string }>(
      'select payment_connection::text as row from payment_connection',
    );
    expect(JSON.stringify([answers, service.logged, stored])).not.toContain(KEY);
    expect(stored[0]?.row).not.toContain(Buffer.from(KEY).toString('hex'));
  });

  it('lets only an operator choose the address, and owners connect', async () => {
    expect((await ask(CONNECT, connectInput(), ['owner'])).errors?.[0]).toMatchObject({
      extensions: { code: 'FORBIDDEN' },
    });
    expect((await ask(CONNECT, connectInput(), ['admin'])).errors?.[0]).toMatchObject({
      extensions: { code: 'FORBIDDEN' },
    });
    expect(await refusal({ apiBase: `${service.standIn.url}/v1` })).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await refusal({ processor: 'paypal' })).toMatchObject({ code: 'VALIDATION_ERROR' });
  });
});

describe('a connection', () => {
  it('is checked, closed, and connected again with the same id', async () => {
    await service.connect();
    const [before] = await service.rows<{ id: string }>('select id from payment_connection');
    expect((await ask('mutation { revenueCheck { connection { state } userErrors { message } } }')).data).toEqual({
      revenueCheck: { connection: { state: 'CONNECTED' }, userErrors: [] },
    });
    service.standIn.keys.delete(KEY);
    expect((await ask('mutation { revenueCheck { connection { state } userErrors { code } } }')).data).toEqual({
      revenueCheck: { connection: null, userErrors: [{ code: 'VALIDATION_ERROR' }] },
    });
    service.standIn.keys.set(KEY, []);
    expect(
      (
        await ask(
          'mutation { revenueDisconnect(input: {}) { connection { state nextSyncAt } userErrors { message } } }',
        )
      ).data,
    ).toEqual({
      revenueDisconnect: {
        connection: { state: 'DISCONNECTED', nextSyncAt: null },
        userErrors: [],
      },
    });
    expect(await service.rows('select sealed_key from payment_connection')).toEqual([{ sealedKey: null }]);
    expect((await ask('mutation { revenueSync(input: {}) { run { id } userErrors { code } } }')).data).toEqual({
      revenueSync: { run: null, userErrors: [{ code: 'NOT_FOUND' }] },
    });
    await service.connect();
    expect(await service.rows('select id, status from payment_connection')).toEqual([
      { id: before?.id, status: 'connected' },
    ]);
  });

  it('a connection that was made by mistake leaves no revenue if its records are withdrawn, and a new connection brings them back', async () => {
    const ada = addCustomer(service.standIn.account, { metadata: { user_id: 'ada' } });
    addInvoice(service.standIn.account, { customer: ada, lines: [{ amount: 1_000, ...month }] });
    await service.connect();
    await service.sync();
    const window = { start: '2026-01-01', end: '2026-02-01' };
    await ask(
      'mutation { revenueDisconnect(input: { withdrawRecords: true }) { connection { state } userErrors { message } } }',
    );
    expect(plain((await service.margin(window)).totalRevenue)).toBe('0');
    expect((await service.margin(window)).revenueRecords).toBe(0);
    await service.connect();
    expect(await service.sync()).toMatchObject({ created: 0, updated: 1 });
    expect(plain((await service.margin(window)).totalRevenue)).toBe('10');
    expect((await ask('{ verifyRevenue { checked differences } }')).data).toEqual({
      verifyRevenue: [1, 1, 1, 1, 1, 1, 0, 0].map((checked) => ({ checked, differences: [] })),
    });
  });
});

describe('a connection that changes in the middle of a step', () => {
  const window = { start: '2026-01-01', end: '2026-02-01' };

  it('waits until the step has written, and withdraws what it wrote for the other mode', async () => {
    const testKey = `rk_${'test'}_stand_in`;
    service.standIn.keys.set(testKey, []);
    const ada = addCustomer(service.standIn.account, { metadata: { user_id: 'ada' } });
    addInvoice(service.standIn.account, { customer: ada, lines: [{ amount: 1_000, ...month }] });
    await service.connect({ apiKey: testKey });
    await service.sync();
    await service.step();
    let replaced: Promise<void> | undefined;
    await service.database.system(async (tx) => {
      await query(tx, 'update payment_connection set lease_until = now()');
      replaced = service.connect();
      await service.untilOneWaits();
      await query(
        tx,
        `insert into revenue_record select (jsonb_populate_record(record, '{"line_id": "il_late"}')).* from revenue_record as record`,
      );
      await query(tx, "update sync_run set pages = pages + 1 where state = 'running'");
    });
    await replaced;
    expect(plain((await service.margin(window)).totalRevenue)).toBe('0');
    expect(await service.rows("select id from sync_run where state = 'running'")).toEqual([]);
  });

  it('leaves no run that was begun with the previous key', async () => {
    await service.connect();
    const { database } = service.dependencies;
    const replacing = async <Result>(work: (tx: WriteTransaction) => Promise<Result>): Promise<Result> => {
      const claimed = await database.system(work);
      replacing.isDone ||= (await service.connect(), true);
      return claimed;
    };
    replacing.isDone = false;
    await service.rows("update payment_connection set due_at = now() - interval '1 second'");
    const [job] = revenue.jobs({ ...service.dependencies, database: { ...database, system: replacing } });
    await job?.step();
    expect(await service.rows('select state from sync_run')).toEqual([]);
  });
});

describe('a requested sync', () => {
  it('starts right after the current run if it was requested during that run', async () => {
    await service.connect();
    await service.sync();
    await service.step();
    expect(
      (
        await ask(
          'mutation { revenueSync(input: { waitSeconds: 0 }) { run { mode state stage } userErrors { message } } }',
        )
      ).data,
    ).toEqual({
      revenueSync: { run: { mode: 'FULL', state: 'RUNNING', stage: 'SUBSCRIPTIONS' }, userErrors: [] },
    });
    for (let steps = 0; steps < 6; steps++) await service.step();
    expect(await service.rows('select state from sync_run order by started_at')).toEqual([
      { state: 'finished' },
      { state: 'finished' },
    ]);
    expect(await service.rows('select due_at <= now() as due from payment_connection')).toEqual([{ due: true }]);
  });

  const SYNC =
    'mutation ($wait: Int!) { revenueSync(input: { waitSeconds: $wait }) { run { mode state finished recordsCreated recordsUpdated recordsSkipped subscriptions error } userErrors { message } } }';

  it('is awaited, and returns its figures, or its error if a step fails', async () => {
    const ada = addCustomer(service.standIn.account, { metadata: { user_id: 'ada' } });
    addInvoice(service.standIn.account, { customer: ada, lines: [{ amount: 1_000, ...month }] });
    const jobs = runJobs(
      revenue.jobs(service.dependencies).map((job) => ({ ...job, restMilliseconds: 10 })),
      service.context.log,
    );
    try {
      await service.connect();
      expect((await ask(SYNC, { wait: 20 })).data).toEqual({
        revenueSync: {
          run: {
            mode: 'FULL',
            state: 'FINISHED',
            finished: true,
            recordsCreated: 1,
            recordsUpdated: 0,
            recordsSkipped: 0,
            subscriptions: 0,
            error: null,
          },
          userErrors: [],
        },
      });
      addInvoice(service.standIn.account, { customer: ada, lines: [{ amount: 500, ...month }] });
      expect((await ask(SYNC, { wait: 20 })).data).toMatchObject({
        revenueSync: { run: { finished: true, recordsCreated: 1, recordsSkipped: 1 }, userErrors: [] },
      });
      service.standIn.faults.push(serverError(1));
      expect((await ask(SYNC, { wait: 20 })).data).toMatchObject({
        revenueSync: {
          run: {
            finished: false,
            state: 'RUNNING',
            error: expect.stringMatching(/^The payment processor cannot be reached/),
          },
          userErrors: [],
        },
      });
      expect((await ask('{ revenueConnection { state error } }')).data).toMatchObject({
        revenueConnection: { state: 'FAILING', error: expect.any(String) },
      });
    } finally {
      await jobs.stop();
    }
  });
});

describe("a key that the service's secret does not decrypt", () => {
  it('fails the sync with an explanation for the operator, and is retried rarely', async () => {
    await service.connect();
    await service.rows(
      'update payment_connection set sealed_key = set_byte(sealed_key, 6, get_byte(sealed_key, 6) # 1)',
    );
    await service.step();
    const [connection] = await service.rows<{ lastError: string; rest: number }>(
      'select last_error, round(extract(epoch from due_at - last_error_at))::int as rest from payment_connection',
    );
    expect(connection).toEqual({
      lastError: expect.stringMatching(/the operator of the service has to restore the secret of key [0-9a-f]{16}$/),
      rest: 600,
    });
    expect(
      (await ask('mutation { revenueCheck { connection { id } userErrors { message } } }')).errors?.[0],
    ).toMatchObject({
      extensions: { code: 'SECRET_UNREADABLE' },
    });
  });
});
