import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { syncFromStandIn } from '../../../demo/revenue/sync-from-stand-in.ts';
import { type OperatorGateway, operatorGateway } from '../../../cli/kit/operator-gateway.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { MINUTES } from '../../support/patience.ts';

// Fills a service with months of events.
vi.setConfig(MINUTES);

const BEGAN = new Date(Math.floor(Date.now() / 86_400_000 - 89) * 86_400_000);

let service: RunningService;
let gateway: OperatorGateway;

beforeAll(async () => {
  service = await sharedService();
  gateway = operatorGateway({
    adminUrl: service.url,
    apiOrigin: service.url,
    adminToken: null,
    dataDirectory: service.dataDirectory,
  });
});
afterAll(async () => service.stop());

it('a second run of the demo earns nothing twice, and leaves no connection that would fail', async () => {
  const { organization_id: organization, live_read_key: key } = service.firstRun;
  // Earned revenue grows between two requests if the window ends now, so this window ends earlier.
  const window = `start: "${BEGAN.toISOString()}", end: "${new Date(BEGAN.getTime() + 89 * 86_400_000).toISOString()}"`;
  const query = `{ revenueConnection { state } window(${window}) { margin { total { totalRevenue revenueRecordCount } } } }`;
  const books = async () => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    return (await fetch(`${service.url}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })).json();
  };

  const first = await syncFromStandIn(gateway, organization, BEGAN);
  expect(first).toMatchObject({ state: 'finished', error: null, recordsSkipped: 0, recordsInOtherCurrencies: 4 });
  const before = await books();
  expect(before).toMatchObject({
    data: {
      revenueConnection: { state: 'DISCONNECTED' },
      window: { margin: { total: { totalRevenue: expect.stringMatching(/^13\d\d\d\d\./) } } },
    },
  });

  const second = await syncFromStandIn(gateway, organization, BEGAN);
  expect(second).toMatchObject({ state: 'finished', recordsCreated: 0, recordsSkipped: first.recordsCreated });
  expect(await books()).toEqual(before);
});
