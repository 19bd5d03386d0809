/**
 * Statements about cached tokens on `/books/not-understood`: the listed senders, the preview, the repricing, and the
 * removal.
 */
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { post, settle } from '../../support/api-client.ts';
import { signedInMember } from '../../support/member.ts';
import { PATIENCE } from '../../support/patience.ts';
import type { RunningService } from '../../support/running-service.ts';
import { sharedService } from '../../support/shared-service.ts';
import { operate } from '../../support/telemetry.ts';
import { usageEvent } from '../../support/usage-event.ts';
import { signedIn, type Visitor } from '../../support/visitor.ts';

const PAGE = '/books/not-understood';
let service: RunningService;
let owner: Visitor;

beforeAll(async () => {
  service = await sharedService();
  owner = await signedIn(service.url, service.firstRun);
  await send();
});
afterAll(() => service.stop());

/**
 * Claude Sonnet 4.6: 3 per million input tokens, 0.30 per million cache reads. Either 6,000 or 10,000 tokens are
 * uncached.
 */
async function send() {
  const guessed = usageEvent({
    model: 'claude-sonnet-4-6',
    provider: 'anthropic',
    input_tokens: 10_000,
    output_tokens: 0,
    cache_read_input_tokens: 4_000,
  });
  const { body } = await post(service.url, '/usage-events/batch', service.firstRun.live_ingest_key, [guessed]);
  expect(body).toMatchObject({ accepted: 1 });
  await settle(service.url, service.firstRun.operator_token);
}

const provider = { countsOf: 'PROVIDER', subject: 'anthropic' };
const readings = async () => {
  const {
    receivedEvents: { nodes: receivedEvents },
  } = await operate(service, '{ receivedEvents(first: 10) { nodes { reading totalCost } } }');
  return receivedEvents.map(({ reading, totalCost }: any) => `${reading} ${totalCost}`).sort();
};

it('the page shows members the senders with ambiguous counts, but offers the choice only to owners and admins', async () => {
  const { html } = await owner.get(PAGE);
  expect(html).toContain('Do input counts include cached tokens?');
  expect(html).toContain('anthropic <span class="muted">provider</span>');
  expect(html).toMatch(/<th scope="row" class="name">[^<]+ <span class="muted">API key<\/span>/);
  const member = await signedInMember(service);
  const seen = (await member.get(PAGE)).html;
  expect(seen).toContain('Owners and admins can choose.');
  expect(seen).not.toContain(`${PAGE}/cached-tokens/preview`);
});

it('the page lists senders with ambiguous counts; only owners and admins say what they include', async () => {
  const page = await owner.get(PAGE);
  const shown = await owner.answer(page, `${PAGE}/cached-tokens/preview`, { ...provider, cachedTokens: 'INCLUDED' });
  expect(shown.status).toBe(200);
  expect(shown.html).toContain('Cached tokens are included');
  expect(shown.html).toMatch(/<dd>1<\/dd>[^]*\$0\.03<\/dd>[^]*\$0\.02<\/dd>/);
  expect((await owner.get(PAGE)).html).not.toContain('Your choices');

  const done = await owner.answer(shown, `${PAGE}/cached-tokens`);
  expect(done.location).toBe(`${PAGE}?done=cached-tokens-stated`);
  const stated = (await owner.get(`${PAGE}?done=cached-tokens-stated`)).html;
  expect(stated).toContain('Saved. Later events are exact');
  expect(stated).toContain('Your choices');
  expect(stated).toContain('Reprice the last 30 days');
  await send();
  expect(await readings()).toEqual(['guessed 0.0312', 'stated 0.0192']);

  const repriced = await owner.submit(PAGE, `${PAGE}/cached-tokens/reprice`);
  expect(repriced.location).toBe('/books?done=repricing-begun');
  await vi.waitFor(async () => expect(await readings()).toEqual(['stated 0.0192', 'stated 0.0192']), PATIENCE);
  expect((await owner.get(PAGE)).html).not.toContain('Reprice the last 30 days');
});

it('the page offers to reprice events again after the statement was changed, although none is a guess', async () => {
  const { html } = await owner.get(PAGE);
  expect(html).not.toContain('Estimated costs');
  const preview = () => owner.submit(PAGE, `${PAGE}/cached-tokens/preview`);
  const shown = await preview();
  expect(shown.html).toContain('Cached tokens are excluded');
  expect(shown.html).toContain('<dd>2</dd>');
  await owner.answer(shown, `${PAGE}/cached-tokens`);
  const changed = (await owner.get(PAGE)).html;
  expect(changed).toContain('2 events of the last 30 days were booked before your latest choice.');
  expect(changed).toContain('Reprice the last 30 days');
  await owner.answer(await preview(), `${PAGE}/cached-tokens`);
  expect((await owner.get(PAGE)).html).not.toContain('Reprice the last 30 days');
});

it('the page removes a statement', async () => {
  const removed = await owner.submit(PAGE, `${PAGE}/cached-tokens/remove`);
  expect(removed.location).toBe(`${PAGE}?done=cached-tokens-removed`);
  expect((await operate(service, '{ cachedTokensRules { subject } }')).cachedTokensRules).toEqual([]);
  // Without a statement, these events would be read differently.
  expect((await owner.get(PAGE)).html).toContain('2 events of the last 30 days were booked before your latest choice.');
  await send();
  expect(await readings()).toEqual(['guessed 0.0312', 'stated 0.0192', 'stated 0.0192']);
  expect((await owner.get(PAGE)).html).toContain('anthropic <span class="muted">provider</span>');
});
