/** A client that a public generator creates from the running service's own document can use the whole API. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { createClient } from '@hey-api/openapi-ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { ROUTES } from '../../rest-adapter/route-table.ts';
import { graphql, settle, sign } from '../support/api-client.ts';
import { projectPath } from '../support/project-files.ts';
import { type SharedService, sharedService } from '../support/shared-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { MINUTES } from '../support/patience.ts';

// Generates and compiles the types of a whole API.
vi.setConfig(MINUTES);

/** An operation as the generator writes it: errors are returned, not thrown. */
type Operation = (
  options?: Readonly<Record<string, unknown>>,
) => Promise<{ data?: any; error?: any; response: Response }>;

let service: SharedService;
let folder: string;
let sdk: Readonly<Record<string, Operation>>;
let client: any;

beforeAll(async () => {
  service = await sharedService();
  folder = mkdtempSync(join(tmpdir(), 'books-client-'));
  const document = (await (await fetch(`${service.url}/openapi.json`)).json()) as Record<string, unknown>;
  await createClient({
    input: document,
    output: { path: folder, module: { extension: '.ts' }, tsConfigPath: null },
    logs: { level: 'silent', file: false },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  });
  sdk = await import(join(folder, 'sdk.gen.ts'));
  ({ client } = await import(join(folder, 'client.gen.ts')));
});
afterAll(async () => {
  await service.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** As an application would: one key to read, one to write, and a signature over the sent bytes. */
function useKey(key: string): void {
  client.setConfig({ auth: () => key });
  client.interceptors.request.clear();
  client.interceptors.request.use(async (request: Request) => {
    if (request.method !== 'POST') return request;
    const timestamp = String(Math.floor(Date.now() / 1000));
    request.headers.set('x-timestamp', timestamp);
    request.headers.set('x-signature', sign(key, timestamp, await request.clone().text()));
    return request;
  });
}

async function call(name: string, options?: Readonly<Record<string, unknown>>): Promise<any> {
  const operation = sdk[name];
  if (!operation) throw new Error(`The document has no operation ${name}`);
  const { data, error, response } = await operation(options);
  expect(error, `${name} ${response?.status}`).toBeUndefined();
  return data;
}

describe('the generated client', () => {
  const now = Date.now();
  const query = {
    start_date: new Date(now - 7 * 86_400_000).toISOString(),
    end_date: new Date(now + 60_000).toISOString(),
  };

  it('finds the service only by its document', () => {
    expect(client.getConfig().baseUrl).toBe(`${service.url}/v1`);
  });

  it('sends events, singly and in batches', async () => {
    const { live_ingest_key: key, operator_token: operator, organization_id: organization } = service.firstRun;
    useKey(key);
    const event = (more: object) =>
      usageEvent({ cost_override: '0.25', user_id: 'ann', metadata: { team: 'red' }, agent_id: 'a1', ...more });
    expect(await call('ingestUsageEvent', { body: event({}) })).toMatchObject({
      status: 'accepted',
      event_id: expect.any(String),
    });
    const batch = await call('ingestUsageEvents', {
      body: [event({ cost_override: undefined }), event({ user_id: 'bob' }), { ...event({}), input_tokens: -1 }],
    });
    expect(batch).toMatchObject({
      accepted: 2,
      failed: 1,
      results: [{ index: 0 }, { index: 1 }, { index: 2, status: 'rejected', error: 'VALIDATION_ERROR' }],
    });
    await graphql(
      service.url,
      operator,
      'mutation { dimensionRegister(input: { key: "team" }) { dimension { key } userErrors { message } } }',
      {},
      organization,
    );
    await settle(service.url, operator);
  });

  it('reads everything back', async () => {
    useKey(service.firstRun.live_read_key);
    expect(await call('ping')).toMatchObject({ ok: true, environment: 'live', expires_at: null });
    const { models, total_cost: total } = await call('getCostByModel', { query });
    expect(models).toHaveLength(1);
    expect(models[0].event_count).toBe(3);
    expect(await call('getCostSummary', { query: { time_window: 'last-7-days' } })).toMatchObject({
      current_period_cost: total,
      status_counts: { completed: 3 },
    });
    expect((await call('getCostByProvider', { query })).providers[0].provider_slug).toBe('openai');
    expect((await call('getCostTrend', { query })).granularity).toBe('daily');
    expect(
      (await call('getCostTrend', { query: { ...query, dimension_key: 'team' } })).series.map(
        ({ key }: { key: string }) => key,
      ),
    ).toEqual(['red', 'Other']);
    expect((await call('getEndUserCostByModel', { path: { externalId: 'bob' }, query })).total_cost).toBe('0.25');
    expect((await call('getCostByAgent', { query })).items[0]).toMatchObject({
      attribution_value: 'a1',
      total_cost: total,
    });
    expect(await call('listDimensionValues', { query: { ...query, dimension: 'team' } })).toEqual({ values: ['red'] });
    expect((await call('getDimensionCostBreakdown', { query: { ...query, dimension_key: 'team' } })).total_cost).toBe(
      total,
    );
    expect((await call('getUsageSummary', { query })).total_events).toBe(3);
    const page = await call('listUsageEvents', { query: { ...query, limit: 2, offset: 1 } });
    expect({ ...page, events: page.events.length }).toEqual({ events: 2, total: 3, limit: 2, offset: 1 });
    expect((await call('getMarginByEndUser', { query })).org_total).toMatchObject({
      total_cost: total,
      total_revenue: '0',
      profitability_category: 'unprofitable',
    });
    expect((await call('getRateEstimationTable')).items.length).toBeGreaterThan(100);
  });

  it('gets errors in the envelope', async () => {
    useKey(service.firstRun.live_read_key);
    const codeOf = async (name: string, options: object) => {
      const { error, response } = await sdk[name]!(options as Record<string, unknown>);
      return [response.status, error.error.code];
    };
    expect(await codeOf('getCostTrend', { query: { ...query, dimension_key: 'nobody' } })).toEqual([404, 'NOT_FOUND']);
    expect(await codeOf('listUsageEvents', { query: { ...query, limit: 0 } })).toEqual([400, 'VALIDATION_ERROR']);
    expect(await codeOf('getMarginByEndUser', { query: { start_date: '2024-01-01', end_date: '2026-01-01' } })).toEqual(
      [422, 'UNPROCESSABLE_ENTITY'],
    );
    useKey(service.firstRun.live_ingest_key);
    expect(await codeOf('getCostByModel', { query })).toEqual([403, 'FORBIDDEN']);
  });

  it('has an operation for every documented read', () => {
    const missing = ROUTES.filter(({ operationId }) => sdk[operationId] === undefined);
    expect(missing.map(({ operationId }) => operationId)).toEqual([]);
  });
});

it('compiles under strict settings, and its types match the responses', async () => {
  writeFileSync(
    join(folder, 'tour.ts'),
    `
    import { getCostByModel, listUsageEvents } from './sdk.gen.ts';
    export async function tour(): Promise<readonly [string, number | null, string, number]> {
      const query = { start_date: '2026-01-01', end_date: '2026-02-01' };
      const { data: costs } = await getCostByModel({ query, throwOnError: true });
      const { data: page } = await listUsageEvents({ query, throwOnError: true });
      return [costs.total_cost, costs.models[0]!.reasoning_tokens, page.events[0]!.event_timestamp, page.total];
    }`,
  );
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    noUncheckedIndexedAccess: true,
    target: 'es2024',
    module: 'nodenext',
    lib: ['es2024', 'dom', 'dom.iterable'],
    types: [],
    allowImportingTsExtensions: true,
  };
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['tour.ts'] }));
  const compiler = projectPath('node_modules/typescript-7/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '--project', folder]).catch((error: { stdout: string }) =>
    expect(error.stdout).toBe(''),
  );
});
