/** In separate processes, alerting reads over HTTP with a client's limits, which its documents must satisfy. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { keyRing } from '#platform/key-ring.ts';
import { serviceToken } from '#platform/transports/service-token.ts';
import { DAILY_COSTS, HOURLY_COSTS, WINDOW_COSTS } from '../../../subgraphs/alerting/figures/cost-figures.step.ts';
import { CUSTOMERS } from '../../../subgraphs/alerting/figures/customer-figures.step.ts';
import { LIVE, UNPRICED } from '../../../subgraphs/alerting/figures/live-figures.step.ts';
import { graphql } from '../../support/api-client.ts';
import { type SharedService, sharedService } from '../../support/shared-service.ts';

let service: SharedService;
let token: string;
beforeAll(async () => {
  service = await sharedService();
  token = serviceToken('alerting', keyRing('signing', [service.serviceSecret]));
});
afterAll(() => service.stop());

const DAY = { start: '2026-10-31T00:00:00.000Z', end: '2026-11-01T00:00:00.000Z' };
const DAYS = { ...DAY, start: '2026-08-08T00:00:00.000Z' };
const SERIES = { filter: null, by: 'MODEL', dimension: null, series: 20 };

it.each([
  ['live figures', LIVE, { unpriced: true, credits: true, connection: true, catalogue: true }],
  ['events without a price', UNPRICED, {}],
  [
    'costs of a window',
    WINDOW_COSTS,
    { ...DAY, filter: null, groupBy: ['MODEL'], dimensions: [], first: 200, tokens: true },
  ],
  ['costs by day', DAILY_COSTS, { ...DAYS, ...SERIES }],
  ['costs by hour', HOURLY_COSTS, { ...DAY, ...SERIES }],
  ['customers', CUSTOMERS, { ...DAY, search: null, after: null }],
])('alerting may read: %s', async (_name, document, variables) => {
  const organizationId = service.firstRun.organization_id;
  const { body } = await graphql(service.url, token, document, variables, organizationId);
  expect(body.errors).toBeUndefined();
});
