/** Documents and statements of the main pages. They take most of the time of a page. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { countReads } from '../../support/count-reads.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

let service: ServiceWithEvents;
let person: Visitor;

beforeAll(async () => {
  const minute = new Date(Date.now() - 60_000).toISOString();
  service = await serviceWithEvents(
    [
      usageEvent({ user_id: 'ada', cost_override: '2.5', event_invoked_at: minute }),
      usageEvent({ user_id: 'ben', cost_override: '1', event_invoked_at: minute }),
    ],
    [
      'alertRuleSave(input: { kind: BUDGET, name: "Month", amount: "100", period: MONTH, withForecast: true }) { userErrors { message } }',
    ],
  );
  person = await signedIn(service.url, service.firstRun);
  // Background jobs read too.
  await service.runJobs(false);
});
afterAll(() => service.stop());

const MARKS = ['MarkedAlerts', 'MarkedModels', 'MarkedRates'];
const INSIGHTS = [
  'InsightChanges',
  'InsightChanges',
  'InsightModels',
  'InsightUnpriced',
  'InsightUnprofitable',
  'InsightsPage',
];
const OVERVIEW = ['OverviewBudgets', 'OverviewCosts', 'OverviewForecast', 'OverviewMargins'];
const COSTS = ['CostDimensions', 'CostGroups', 'CostLayers'];

it.each([
  ['/?window=30d', ['BookedCorrections', ...MARKS, 'OpenAlerts', ...OVERVIEW, 'ToKnow'], 82],
  ['/?window=year', ['BookedCorrections', ...MARKS, 'OpenAlerts', ...OVERVIEW, 'ToKnow'], 82],
  ['/insights?window=30d', INSIGHTS, 25],
  ['/costs?window=90d', ['BookedCorrections', ...COSTS, ...MARKS], 29],
  ['/events?window=90d', ['EventsDimensions', 'EventsPage'], 12],
  ['/rates', ['RatesPage'], 9],
  ['/rates/upcoming', ['UpcomingRates'], 11],
  ['/margins?window=90d', ['BookedCorrections', 'MarginsOverTime', 'MarginsPage', 'MarkedAlerts', 'MarkedRates'], 30],
] as const)(
  '%s executes exactly these documents, in a bounded number of statements',
  async (path, documents, statementsMax) => {
    // The first visit reads the suggestions for filters, which the next visits of half a minute reuse.
    await person.get(path);
    const reads = await countReads(async () => expect((await person.get(path)).status).toBe(200));
    expect(reads.documents).toEqual(documents.toSorted());
    expect(reads.statements).toBeLessThanOrEqual(statementsMax);
  },
);
