/**
 * Operators' view of a service: its operations port, every documented metric, and every alert rule, tested with the
 * fault it is for.
 */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished, vi } from 'vitest';
import { parse } from 'yaml';
import { DAY_MS } from '#kernel/time/duration.ts';
import { fairShare } from '#platform/database/fair-share.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { readWalState } from '#platform/database/read-wal-state.ts';
import type { ConnectionTarget } from '#platform/database/connections/connection-target.ts';
import { type RunningJobs, runJobs } from '#platform/job-loop.ts';
import { createLog } from '#platform/log.ts';
import { NO_ORGANIZATION } from '#platform/subgraph/audit-record.ts';
import type { Readiness } from '../../start/http-app.ts';
import { recordBackup } from '../../start/health/observe-storage.ts';
import { observeWal } from '../../start/health/observe-wal.ts';
import { serveOperations } from '../../start/health/operations-port.ts';
import { identity } from '../../subgraphs/identity/main.ts';
import { get, post } from '../support/api-client.ts';
import { archivingServer } from '../support/archiving-server.ts';
import { evaluateRule, parseScrape, type Scrape } from '../support/evaluate-rule.ts';
import { type FaultProxy, faultProxy } from '../support/fault-proxy.ts';
import { freshDatabase, freshTarget, isOnNodes } from '../support/fresh-database.ts';
import { type RunningService, runningService, urlOf } from '../support/running-service.ts';
import { usageEvent } from '../support/usage-event.ts';
import { MINUTES, PATIENCE } from '../support/patience.ts';

// Starts processes one after another, which takes a minute or two on a busy machine.
vi.setConfig(MINUTES);

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: { readonly summary: string };
}

const readText = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const rules = (
  parse(readText('deploy/prometheus/rules.yaml')) as { groups: readonly { rules: readonly Rule[] }[] }
).groups.flatMap((group) => group.rules);
const NAMES = ['costing', 'attribution', 'alerting'] as const;

let service: RunningService;
let proxy: FaultProxy;
let jobs: RunningJobs;
/** Another server, which has no database of the service. */
let archiving: Awaited<ReturnType<typeof archivingServer>> | null = null;
const targets: Partial<Record<string, ConnectionTarget>> = {};
let previous: Scrape;

beforeAll(async () => {
  proxy = await faultProxy(inject('server'));
  const settings: Record<string, string> = {};
  for (const name of NAMES) {
    targets[name] = await freshTarget(name);
    settings[`${name.toUpperCase()}_DATABASE_URL`] = urlOf(targets[name]);
  }
  targets['revenue'] = await freshTarget('revenue');
  const { host, port, user, password, dbName } = proxy.to(targets['revenue']);
  settings['REVENUE_DATABASE_URL'] = `postgresql://${user}:${encodeURIComponent(password)}@${host}:${port}/${dbName}`;
  // Without its jobs, so that work they would do at once keeps waiting.
  service = await runningService(settings, { jobs: false });
  jobs = runJobs(
    [
      { name: 'sound', subgraph: 'test', restMilliseconds: 10_000, step: async () => 'idle' },
      {
        name: 'broken',
        subgraph: 'test',
        restMilliseconds: 10_000,
        step: async () => {
          throw new Error('It never works');
        },
      },
    ],
    createLog('silent'),
  );
  // On a busy machine, a database can take longer to respond than a probe waits.
  await vi.waitFor(async () => expect((await fetch(`${service.operationsUrl}/readyz`)).status).toBe(200), PATIENCE);
  await post(service.url, '/usage-events', service.firstRun.live_ingest_key, usageEvent());
  previous = await scrape();
});

afterAll(async () => {
  await jobs.stop();
  await service.stop();
  await proxy.close();
  await archiving?.close();
});

describe('the operations port', () => {
  it("has health, readiness and metrics, and nothing else; the service's own port has them too", async () => {
    const statuses = async (url: string) =>
      Promise.all(
        ['/healthz', '/readyz', '/metrics', '/v1/ping', '/'].map(async (path) => (await fetch(url + path)).status),
      );
    expect(new URL(service.operationsUrl!).hostname).toBe('127.0.0.1');
    expect(service.operationsUrl).not.toBe(service.url);
    expect(await statuses(service.operationsUrl!)).toEqual([200, 200, 200, 404, 404]);
    expect((await statuses(service.url)).slice(0, 4)).toEqual([200, 200, 200, 401]);
  });
});

it('a default operations port is skipped if it is in use; a configured one must be free', async () => {
  const taken = Number(new URL(service.operationsUrl!).port);
  const readiness = async () =>
    (await (await fetch(`${service.operationsUrl}/readyz`)).json()) as Awaited<ReturnType<Readiness>>;
  const settings = { host: '127.0.0.1', port: taken - 1_000, operationsHost: '127.0.0.1', operationsPort: null };
  const log = createLog('silent');
  expect((await serveOperations(readiness, settings, log)).url).toBeNull();
  await expect(serveOperations(readiness, { ...settings, operationsPort: taken }, log)).rejects.toThrow(
    /another process listens there.*OPERATIONS_PORT to a free port/,
  );
});

describe('metrics', () => {
  it('every emitted metric is documented with its type and its labels, and vice versa', async () => {
    const text = await (await fetch(`${service.operationsUrl}/metrics`)).text();
    const labels = new Map<string, Set<string>>();
    for (const [name, series] of parseScrape(text, 0).metrics) {
      const metric = name.replace(/_(bucket|sum|count)$/, '');
      const known = labels.get(metric) ?? new Set();
      for (const { labels: of } of series) for (const label of Object.keys(of)) known.add(label);
      labels.set(metric, known);
    }
    const emitted = [...text.matchAll(/^# TYPE (books_\w+) (\w+)$/gm)].map(([, name = '', type]) => [name, type]);
    const documented = [
      ...readText('docs/operations/metrics.md').matchAll(/^\| `(books_\w+)` \| (\w+) \|([^|]*)\| \S/gm),
    ].map(([, name = '', type, of = '']) => ({ name, type, labels: [...of.matchAll(/`(\w+)`/g)].map(([, l]) => l) }));
    expect(documented.map(({ name, type }) => [name, type]).sort()).toEqual(emitted.sort());
    for (const { name, labels: of } of documented) {
      const seen = [...(labels.get(name) ?? [])].filter((label) => label !== 'le');
      expect(
        seen.every((label) => of.includes(label)),
        `${name}: ${seen.join()}`,
      ).toBe(true);
    }
    expect(emitted.length).toBeGreaterThan(25);
  });

  it('rules and dashboard use only existing metrics', () => {
    const known = new Set([
      ...previous.metrics.keys(),
      'up',
      'books_verify_round_age_seconds',
      'books_backup_age_seconds',
      'books_wal_archive_failing',
    ]);
    const named = [...rules.map(({ expr }) => expr), readText('deploy/grafana/books.json')].flatMap((text) => [
      ...text.matchAll(/\b((?:books|process|nodejs)_\w+|up(?=\{))/g),
    ]);
    expect(named.length).toBeGreaterThan(40);
    const counted = /^books_usage_events_(priced|rejected)_total$/;
    expect(named.map(([, name = '']) => name).filter((name) => !known.has(name) && !counted.test(name))).toEqual([]);
  });

  it('contain nothing about a tenant', async () => {
    const text = await (await fetch(`${service.operationsUrl}/metrics`)).text();
    expect(text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/);
  });
});

describe('alert rules', () => {
  const FAULTS: Record<string, () => Promise<unknown>> = {
    BooksPricingBehind: () => change('costing', "update pricing_job set created_at = now() - interval '1 hour'"),
    BooksFeedBehind: () =>
      change(
        'costing',
        `insert into feed_head values ('${NO_ORGANIZATION}', 1, gen_random_uuid());
         insert into priced_batch (organization_id, number, token, body, size, bytes, published_at)
         values ('${NO_ORGANIZATION}', 1, gen_random_uuid(), '{}', 0, 2, now() - interval '1 hour')`,
      ),
    BooksDiffer: () =>
      change(
        'attribution',
        `insert into book_difference values ('${NO_ORGANIZATION}', '2026-01-01', 'facts', 'one and none', now(), now())`,
      ),
    BooksVerificationOverdue: () => addOperation('finished'),
    BooksOperationStopped: () => addOperation('failed'),
    BooksBackupOld: async () => {
      recordBackup(service.dataDirectory, new Date());
      expect(await fires('BooksBackupOld')).toBe(false);
      recordBackup(service.dataDirectory, new Date(Date.now() - 3 * DAY_MS));
    },
    BooksDiskNearlyFull: async () => {
      if (!mountSmallDisk(service.dataDirectory)) return IMPOSSIBLE;
      expect(await fires('BooksDiskNearlyFull')).toBe(false);
      writeFileSync(join(service.dataDirectory, 'data'), Buffer.alloc(950 * 1024));
      return null;
    },
    BooksArchiveFailing: async () => {
      archiving = await archivingServer();
      const { client } = archiving;
      observeWal('archiving', () => readWalState(client, 5_000));
      expect(await fires('BooksArchiveFailing')).toBe(false);
      await client.query("alter system set archive_command = 'false'");
      await client.query('select pg_reload_conf()');
      await client.query(WRITE_WAL);
    },
    BooksReplicaBehind: async () => {
      const { client } = archiving!;
      await client.query("select pg_create_physical_replication_slot('replica', true)");
      expect(await fires('BooksReplicaBehind')).toBe(false);
      for (let segments = 0; segments < 6; segments++) await client.query(WRITE_WAL);
    },
    BooksRevenueSyncFailing: () =>
      change(
        'revenue',
        `insert into payment_connection (organization_id, id, processor, end_user_key, sealed_key, key_ending, status, connected_at,
           requested_full, events_offered, due_at, attempt)
         values (gen_random_uuid(), gen_random_uuid(), 'stripe', 'user_id', '\\x00', 'abcd', 'connected', now() - interval '1 day',
           false, true, now() + interval '1 day', 3)`,
      ),
    BooksAlertsUndelivered: () =>
      change(
        'alerting',
        `insert into alert_delivery (organization_id, id, channel_id, event_type, body, created_at, due_at, attempt)
         values (gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'alert.opened', '{}', now(), now() - interval '1 hour', 0)`,
      ),
    BooksRefusing: async () => {
      const share = fairShare({
        places: 1,
        placesEach: 1,
        placesContended: 1,
        waitingEach: 0,
        waitMilliseconds: 1,
      });
      const refused = share.run('one', () => share.run('one', async () => null));
      await expect(refused).rejects.toMatchObject({ code: 'RATE_LIMIT_EXCEEDED' });
    },
    BooksDatabaseUnavailable: async () => {
      proxy.set('refuse');
      proxy.cut('reset');
    },
    BooksNotReady: async () => {},
    BooksServerErrors: async () => {
      const range = 'start_date=2026-01-01&end_date=2026-02-01';
      for (let count = 0; count < 3; count++)
        expect(
          (await get(service.url, `/margin-data/by-end-user?${range}`, service.firstRun.live_read_key)).status,
        ).toBe(503);
    },
    BooksConnectionsUsedUp: async () => {
      const database = await freshDatabase(identity);
      const release = Promise.withResolvers<null>();
      const held = Array.from({ length: 16 }, () => database.system(() => release.promise));
      await vi.waitFor(async () => expect(await fires('BooksConnectionsUsedUp')).toBe(true), PATIENCE);
      release.resolve(null);
      await Promise.all(held);
      await database.close();
    },
    BooksEventsUnpriced: async () => {
      await bringBack();
      await change(
        'costing',
        `insert into unpriced_event (organization_id, event_id, status, livemode, event_time, model, reason, since)
         values (gen_random_uuid(), gen_random_uuid(), 'pending_rate_card', true, now(), 'm', 'no card', now())`,
      );
      secondsAhead = 60;
    },
    BooksJobFailing: async () => {
      secondsAhead = 3_600;
    },
    BooksProcessMissing: () => service.stop(),
  };

  it('there is one for each fault, and a section about what to do', () => {
    expect(rules.map(({ alert }) => alert).sort()).toEqual(Object.keys(FAULTS).sort());
    const sections = [...readText('docs/operations/incidents.md').matchAll(/^## (\w+)$/gm)].map(([, name]) => name);
    expect(sections.sort()).toEqual(Object.keys(FAULTS).sort());
  });

  it('none fires without a fault', async () => {
    const firing = [];
    for (const { alert } of rules) if (await fires(alert)) firing.push(alert);
    expect(firing).toEqual([]);
  });

  it.for(Object.keys(FAULTS))('%s fires at its fault, and not before', async (alert, { skip }) => {
    // The process is not ready because of the previous fault.
    if (alert !== 'BooksNotReady') expect(await fires(alert)).toBe(false);
    if ((await FAULTS[alert]!()) === IMPOSSIBLE) skip('The fault needs rights that the tests do not have here.');
    if (alert !== 'BooksConnectionsUsedUp')
      await vi.waitFor(async () => expect(await fires(alert)).toBe(true), { ...PATIENCE, interval: 300 });
  });

  async function fires(alert: string): Promise<boolean> {
    const rule = rules.find((each) => each.alert === alert)!;
    return evaluateRule(rule.expr, [previous, await scrape()]).length > 0;
  }
});

/** Fills a segment of 16 MB. */
const WRITE_WAL = "select pg_logical_emit_message(false, 'test', 'x'), pg_switch_wal()";

/** Result for a fault that needs rights which the tests lack here. */
const IMPOSSIBLE = 'impossible';

/** Mounts a disk of 1 MB on a directory, until the test has finished. Returns false without the right to mount. */
function mountSmallDisk(directory: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', directory], { stdio: 'ignore' });
  } catch {
    return false;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', directory]));
  return readFileSync('/proc/mounts', 'utf8').includes(` ${directory} tmpfs `);
}

/** Scrapes like Prometheus: the metric `up` says whether there was a response. */
async function scrape(): Promise<Scrape> {
  const text = await whileAhead(() =>
    fetch(`${service.operationsUrl}/metrics`).then(
      (answer) => answer.text(),
      () => null,
    ),
  );
  return parseScrape(`${text ?? ''}\nup{job="books"} ${text === null ? 0 : 1}\n`, Date.now());
}

function change(name: string, statement: string): Promise<unknown> {
  return withClient(targets[name]!, async (client) => {
    await client.query(`set role ${client.escapeIdentifier(`${name}_jobs`)}`);
    await client.query(statement);
  });
}

/** On several nodes, each organization has its own rounds. */
function addOperation(state: 'failed' | 'finished'): Promise<unknown> {
  const organizationId = isOnNodes() ? randomUUID() : NO_ORGANIZATION;
  return change(
    'attribution',
    `insert into operation (organization_id, id, kind, parameters, done, state, attempt, next_step_at, started_at, updated_at, finished_at)
     values ('${organizationId}', gen_random_uuid(), 'verify', '{}', 0, '${state}', 0, now(), now() - interval '3 days',
       now() - interval '3 days', ${state === 'finished' ? "now() - interval '3 days'" : 'null'})`,
  );
}

/** The database is back, and no check is due. */
async function bringBack(): Promise<void> {
  proxy.set('none');
  const isReady = async () => (await fetch(`${service.operationsUrl}/readyz`)).status;
  await vi.waitFor(async () => expect(await isReady()).toBe(200), { ...PATIENCE, interval: 300 });
}

/** Offset of the process's monotonic clock, only during a scrape, because other files share this process. */
let secondsAhead = 0;

async function whileAhead<Result>(work: () => Promise<Result>): Promise<Result> {
  const original = performance.now.bind(performance);
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => original() + secondsAhead * 1_000);
  return work().finally(() => clock.mockRestore());
}
