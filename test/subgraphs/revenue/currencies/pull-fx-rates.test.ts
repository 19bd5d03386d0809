/** Fetching exchange rates: from XML as the European Central Bank publishes it, from CSV, and from other content. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '#platform/config.ts';
import { outboundClient } from '#platform/outbound/outbound-client.ts';
import { withClient } from '#platform/database/prepare-database.ts';
import { pullFxRatesJob } from '../../../../subgraphs/revenue/currencies/pull-fx-rates.job.ts';
import { revenue } from '../../../../subgraphs/revenue/main.ts';
import { type RevenueService, startRevenue } from '../revenue-builder.ts';

const XML = `<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
  <gesmes:subject>Reference rates</gesmes:subject>
  <gesmes:Sender><gesmes:name>European Central Bank</gesmes:name></gesmes:Sender>
  <Cube>
    <Cube time="2025-04-25"><Cube currency="USD" rate="1.1357"/><Cube currency="JPY" rate="162.97"/></Cube>
    <Cube time='2025-04-24'>
      <Cube currency='USD' rate='1.1376'/>
    </Cube>
  </Cube>
</gesmes:Envelope>`;

let service: RevenueService;
let server: Server;
let url: string;
const served = { status: 200, body: XML };
beforeAll(async () => {
  service = await startRevenue();
  server = createServer((_, response) => response.writeHead(served.status).end(served.body)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/eurofxref-hist-90d.xml`;
});
afterAll(async () => {
  server.close();
  await service.close();
});

const outbound = outboundClient({ allowedHosts: ['127.0.0.1'] });
const pull = async (status: number, body: string, client = outbound) => {
  Object.assign(served, { status, body });
  return pullFxRatesJob(service.dependencies, { url, outbound: client }).step();
};
const rates = () =>
  service.rows(
    'select day::text, quote, trim_scale(rate)::text as rate, source from fx_rate order by day, quote, imported_at',
  );

it('the pull of exchange rates stores the rates of the XML and of the CSV file once, and corrections as newer rows', async () => {
  expect(await pull(200, XML)).toBe('idle');
  const known = [
    { day: '2025-04-24', quote: 'USD', rate: '1.1376', source: 'ecb' },
    { day: '2025-04-25', quote: 'JPY', rate: '162.97', source: 'ecb' },
    { day: '2025-04-25', quote: 'USD', rate: '1.1357', source: 'ecb' },
  ];
  expect(await rates()).toEqual(known);
  await pull(200, XML);
  await pull(200, 'Date,USD,JPY,\n2025-04-25,1.1357,162.97,\n2025-04-24,1.14,N/A,\n');
  expect(await rates()).toEqual([known[0], { ...known[0], rate: '1.14' }, known[1], known[2]]);
});

it.each([
  [404, XML],
  [200, '<html><body>Please sign in</body></html>'],
  [200, XML.replace('1.1357', '-1')],
  [200, XML.replaceAll('2025', '2999')],
  [200, XML.replace("'1.1376'", "'1,1376'").replaceAll('2025', '2024'), 'is not a rate of USD on 2024-04-24'],
  [200, XML.replaceAll('2025', '2024').slice(0, XML.indexOf("<Cube currency='USD'")), 'file is incomplete'],
])(
  'the pull of exchange rates stores nothing of a response with status %s and other content, and says so in the log',
  async (status, body, reason = '') => {
    const before = await rates();
    const lines = service.logged.length;
    expect(await pull(status, body)).toBe('idle');
    expect(await rates()).toEqual(before);
    expect(service.logged.slice(lines).join('\n')).toContain('Exchange rates could not be fetched');
    expect(service.logged.slice(lines).join('\n')).toContain(reason);
  },
);

it('the pull of exchange rates waits after rates could not be stored, as after a failed fetch', async () => {
  const job = pullFxRatesJob(service.dependencies, { url, outbound });
  Object.assign(served, { status: 200, body: XML.replaceAll('2025', '2023') });
  const rename = (from: string, to: string) =>
    withClient(service.database.target, (client) => client.query(`alter table ${from} rename to ${to}`));
  await rename('fx_rate', 'fx_rate_away');
  const lines = service.logged.length;
  try {
    expect(await job.step()).toBe('idle');
  } finally {
    await rename('fx_rate_away', 'fx_rate');
  }
  expect(service.logged.slice(lines).join('\n')).toContain('Exchange rates could not be stored');
  // The next step is due, and stores them.
  expect(await job.step()).toBe('idle');
  expect(await rates()).toContainEqual({ day: '2023-04-24', quote: 'USD', rate: '1.1376', source: 'ecb' });
});

it('the pull of exchange rates refuses a private host that is not allowed', async () => {
  const lines = service.logged.length;
  expect(await pull(200, XML, outboundClient({ allowedHosts: [] }))).toBe('idle');
  expect(service.logged.slice(lines).join('\n')).toContain('Exchange rates could not be fetched');
});

it('the pull of exchange rates is off unless it is set', () => {
  const names = (env: Record<string, string>) =>
    revenue.jobs({ ...service.dependencies, config: readConfig(env) }).map(({ name }) => name);
  expect(names({})).not.toContain('pull-fx-rates');
  expect(names({ FX_RATES_URL: url })).toContain('pull-fx-rates');
});
