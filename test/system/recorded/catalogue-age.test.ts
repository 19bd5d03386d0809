/** The age of the price catalogue, and the cost of announced changes at the usage of the last 30 days. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { PUBLISHED_AT } from '../../../subgraphs/costing/rate-changes/built-in-catalogue.ts';
import { runningService } from '../../support/running-service.ts';
import { serviceWithEvents, type ServiceWithEvents } from '../../support/service-with-events.ts';
import { signedIn } from '../../support/visitor.ts';

const DAY = 86_400_000;
const ahead = (days: number) => new Date(Math.floor(Date.now() / DAY) * DAY + days * DAY).toISOString();
const call = (model: string) => ({
  event_invoked_at: new Date(Date.now() - 5 * DAY).toISOString(),
  provider: 'acme',
  model,
  input_tokens: 2_000_000,
  output_tokens: 0,
  metadata: { usage: { input_tokens: 2_000_000, service_tier: 'standard' } },
});

let service: ServiceWithEvents;
beforeAll(async () => {
  const rate = (input: string, from: string, model = 'acme-1') =>
    `rateSet(input: { model: "${model}", provider: "acme", input: "${input}", output: "0"${from} }) { rate { modelSlug } userErrors { message code } }`;
  service = await serviceWithEvents(
    [
      { idempotency_key: 'one', ...call('acme-1') },
      { idempotency_key: 'two', ...call('acme-1') },
    ],
    [
      rate('0.75', ''),
      rate('1.5', `, effectiveFrom: "${ahead(20)}"`),
      rate('0.75', '', 'never-called'),
      rate('1.5', `, effectiveFrom: "${ahead(10)}"`, 'never-called'),
    ],
    // The metrics of this service cover more than one organization, so the service is not shared.
    runningService(),
  );
});
afterAll(() => service.stop());

describe('the catalogue', () => {
  it('reports when its prices were published, in the graph and at /readyz', async () => {
    const publishedAt = PUBLISHED_AT[manifest.dependencies['@pydantic/genai-prices']];
    const { catalogue } = await service.operate('{ catalogue { source publishedAt ageDays } }');
    expect(catalogue).toEqual({
      source: expect.stringContaining('@pydantic/genai-prices'),
      publishedAt,
      ageDays: Math.floor((Date.now() - Date.parse(publishedAt!)) / DAY),
    });
    const ready = await (await fetch(`${service.operationsUrl}/readyz`)).json();
    expect(ready.catalogue).toEqual({
      source: catalogue.source,
      published_at: publishedAt,
      age_days: catalogue.ageDays,
    });
    const metrics = await (await fetch(`${service.operationsUrl}/metrics`)).text();
    expect(metrics).toContain(`books_catalogue_age_days ${catalogue.ageDays}`);
  });

  it('announces a change with its cost at the usage of the last 30 days', async () => {
    const { upcomingRateChanges } = await service.operate(
      '{ upcomingRateChanges { modelSlug effectiveFrom eventCount costBefore costAfter difference } }',
    );
    expect(upcomingRateChanges.find(({ modelSlug }: { modelSlug: string }) => modelSlug === 'acme-1')).toEqual({
      modelSlug: 'acme-1',
      effectiveFrom: ahead(20),
      eventCount: 2,
      costBefore: '3',
      costAfter: '6',
      difference: '3',
    });
  });

  it('shows its age on the page of the rates', async () => {
    const { html: page } = await (await signedIn(service.url, service.firstRun)).get('/rates');
    const { catalogue } = await service.operate('{ catalogue { ageDays } }');
    expect(page).toContain(`${catalogue.ageDays} days old`);
    expect(page).toContain('<a href="/rates/upcoming">Upcoming</a>');
  });

  it('lists announced changes of models in use, and collapses the others', async () => {
    const { html } = await (await signedIn(service.url, service.firstRun)).get('/rates/upcoming');
    const [page = '', folded = ''] = html.split('<details');
    expect([page.includes('never-called'), folded.includes('never-called')]).toEqual([false, true]);
    const row =
      /<tr><th scope="row" class="name"><a href="\/rates\/cards\/[^"]+">acme-1<\/a>.*?<\/tr>/s.exec(page)?.[0] ?? '';
    expect(row.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')).toMatch(
      /acme-1 acme .* 2 \$3(?:\.00)? \$6(?:\.00)? \$3(?:\.00)? $/,
    );
  });

  it('accepts the date of a given document, and refuses an invalid one', async () => {
    const providers = [
      {
        id: 'acme',
        models: [{ id: 'acme-2', match: { equals: 'acme-2' }, prices: { input_mtok: 1, output_mtok: 2 } }],
      },
    ];
    const document =
      'mutation Import($providers: JSON) { catalogueImport(input: { providers: $providers }) { changes { added } userErrors { message code } } }';
    const errorsOf = async (file: object) =>
      (await service.operate(document, { providers: file })).catalogueImport.userErrors;
    const refused = (message: RegExp) => [{ message: expect.stringMatching(message), code: 'VALIDATION_ERROR' }];
    expect(await errorsOf({ date: 'soon', providers })).toEqual(refused(/ISO 8601/));
    expect(await errorsOf({ providers, price: 1 })).toEqual(refused(/Unknown field price/));
  });
});
