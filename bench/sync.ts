/** First sync of a large account: lines per second, and the memory of the service during the sync. */
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds, now } from '#platform/clock.ts';
import { DAY_SECONDS } from '#kernel/time/duration.ts';
import { graphql } from '#schema/graphql.ts';
import { addCustomer, newAccount, type StripeAccount } from '../packages/stripe-stand-in/account.ts';
import { addInvoice } from '../packages/stripe-stand-in/invoices.ts';
import { start } from '../packages/stripe-stand-in/server.ts';
import { askOperator } from './support/ask-operator.ts';
import { undoLater } from './support/cleanup.ts';
import type { BenchOptions } from './support/options.ts';
import { createOrganization } from './support/organization.ts';
import { residentMegabytes } from './support/process-usage.ts';
import type { Report } from './support/report.ts';
import { type Service, startService } from './support/start-service.ts';
import { slope } from './support/statistics.ts';

const SMALL_LINES = 20_000;
const LARGE_LINES = 100_000;
/** More lines than one page of the payment processor holds. */
const LINES_OF_LONG_INVOICE = 250;
const LINES_OF_INVOICE = 10;
const LONG_EVERY = 100;
const INVOICES_OF_CUSTOMER = 4;
const MONTH_SECONDS = 30 * DAY_SECONDS;
const SAMPLE_MILLISECONDS = 250;
/** Share of the sync that is not measured, because the heap is still growing to its usual size. */
const SETTLING_SHARE = 1 / 3;
/** Maximum growth of memory for five times the lines, which allows for uncollected garbage. */
const GROWTH_MAX = 1.2;
const RUN = 'id state error recordsCreated';

interface Synced {
  readonly seconds: number;
  readonly mostMegabytes: number;
  /** Megabytes per ten thousand lines, after the heap has settled to its size. */
  readonly growth: number;
}

export async function measureSync({ progress }: BenchOptions): Promise<Report> {
  const service = await startService();
  const before = residentMegabytes(service.pid);
  const small = await sync(service, SMALL_LINES, progress);
  const large = await sync(service, LARGE_LINES, progress);
  await service.stop();
  return {
    benchmark: 'sync',
    figures: [
      {
        name: `memory, ${LARGE_LINES} lines over ${SMALL_LINES}`,
        value: large.mostMegabytes / small.mostMegabytes,
        unit: 'times',
        atMost: GROWTH_MAX,
      },
      { name: 'before', value: before, unit: 'MB' },
      { name: `most, ${SMALL_LINES} lines`, value: small.mostMegabytes, unit: 'MB' },
      { name: `most, ${LARGE_LINES} lines`, value: large.mostMegabytes, unit: 'MB' },
      { name: 'growth after the first third', value: large.growth, unit: 'MB for 10,000 lines' },
      { name: `lines, ${LARGE_LINES}`, value: LARGE_LINES / large.seconds, unit: 'lines/s' },
    ],
    notes: [
      `First syncs of two accounts, one after the other, from a stand-in for the payment processor in the benchmark's own process.`,
      `RSS of the service. Every hundredth invoice has ${LINES_OF_LONG_INVOICE} lines, the others ${LINES_OF_INVOICE}.`,
    ],
  };
}

async function sync(service: Service, lines: number, progress: (message: string) => void): Promise<Synced> {
  const { id: organizationId } = await createOrganization(service, `Lines ${lines}`.replace(' ', '-'));
  const standIn = await start({ account: accountWith(lines) });
  const stop = undoLater(() => standIn.stop());
  const input = { apiKey: [...standIn.keys.keys()][0]!, apiBase: standIn.url };
  await askOperator(
    service,
    graphql(
      'mutation ConnectRevenue($input: RevenueConnectInput!) { revenueConnect(input: $input) { connection { id } userErrors { message code } } }',
    ),
    { input },
    organizationId,
  );
  progress(`sync: ${lines} lines`);
  const samples: (readonly [lines: number, megabytes: number])[] = [];
  const started = elapsedMilliseconds();
  const { revenueSync } = await askOperator(
    service,
    graphql(
      `mutation BenchSync { revenueSync(input: { waitSeconds: 0, full: true }) { run { ${RUN} } userErrors { message code } } }`,
    ),
    {},
    organizationId,
  );
  let run = revenueSync.run!;
  while (run.state === 'RUNNING') {
    await pause(SAMPLE_MILLISECONDS);
    samples.push([run.recordsCreated, residentMegabytes(service.pid)]);
    const answer = await askOperator(
      service,
      graphql(`query BenchSyncRun($id: ID!) { revenueSyncRun(id: $id) { ${RUN} } }`),
      { id: run.id },
      organizationId,
    );
    run = answer.revenueSyncRun;
  }
  const seconds = (elapsedMilliseconds() - started) / 1000;
  if (run.state !== 'FINISHED' || run.recordsCreated !== lines)
    throw new Error(`The sync ended ${run.state} with ${run.recordsCreated} records: ${run.error ?? 'no error'}`);
  await stop();
  const late = samples.filter(([done]) => done > lines * SETTLING_SHARE);
  return {
    seconds,
    mostMegabytes: Math.max(...samples.map(([, megabytes]) => megabytes)),
    growth: slope(late) * 10_000,
  };
}

function accountWith(lines: number): StripeAccount {
  const account = newAccount(Math.floor(now().getTime() / 1000));
  account.keepEvents = false;
  let customer = '';
  for (let made = 0, invoices = 0; made < lines; invoices++) {
    if (invoices % INVOICES_OF_CUSTOMER === 0) {
      const number = invoices / INVOICES_OF_CUSTOMER;
      customer = addCustomer(account, { name: `Customer ${number}`, metadata: { user_id: `customer-${number}` } });
    }
    const wanted = invoices % LONG_EVERY === LONG_EVERY - 1 ? LINES_OF_LONG_INVOICE : LINES_OF_INVOICE;
    const count = Math.min(wanted, lines - made);
    const start = account.now - MONTH_SECONDS;
    addInvoice(account, {
      customer,
      lines: Array.from({ length: count }, (_, line) => ({ amount: 100 + line, start, end: account.now })),
    });
    made += count;
  }
  return account;
}
