/** An organization's statements about counts that do not say whether they include cached tokens. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listAuditRecords } from '../../../../subgraphs/costing/audit-log/list-audit-records.operation.ts';
import { explainCost } from '../../../../subgraphs/costing/ledger/explain-cost.operation.ts';
import { getCostingHealth } from '../../../../subgraphs/costing/ledger/get-costing-health.operation.ts';
import { listCachedTokens } from '../../../../subgraphs/costing/rates/matching/list-cached-tokens.operation.ts';
import { importCatalogue } from '../../../../subgraphs/costing/rate-changes/import-catalogue.operation.ts';
import { setCachedTokens } from '../../../../subgraphs/costing/rate-changes/set-cached-tokens.operation.ts';
import { listGuessedSources } from '../../../../subgraphs/costing/repricing/list-guessed-sources.operation.ts';
import { proposeCachedTokens } from '../../../../subgraphs/costing/repricing/propose-cached-tokens.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import { call, type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
  await importCatalogue(costing.global);
});
afterEach(() => costing.close());

/** Anthropic's API excludes cached tokens from the input, the documented names include them: either may be meant. */
const guessed = (more: object = {}) =>
  call({
    model: 'claude-sonnet-4-6',
    provider: 'anthropic',
    input_tokens: 10_000,
    output_tokens: 0,
    cache_read_input_tokens: 4_000,
    ...more,
  });
/** At the published prices: 3 per million input tokens, 0.30 per million cache reads. */
const EXCLUDED = '0.0312';
const INCLUDED = '0.0192';

const ofAnthropic = { countsOf: 'PROVIDER', subject: 'Anthropic', cachedTokens: 'INCLUDED' } as const;
const guesses = async () => (await getCostingHealth(costing.live, 366)).guessed.map(({ events }) => events);
const readings = () => costing.rows('select sequence, reading, cause from cost_entry order by event_id, sequence');

describe('a statement about cached tokens', () => {
  it('makes later events exact, and earlier ones once they are repriced', async () => {
    const [id = ''] = await costing.send([guessed()]);
    await costing.settle();
    expect(await costing.costs()).toEqual({ [id]: EXCLUDED });
    expect(await guesses()).toEqual([1]);

    expect(await proposeCachedTokens(costing.operator, ofAnthropic, 30)).toMatchObject({
      events: 1,
      costBefore: EXCLUDED,
      costAfter: INCLUDED,
      isComplete: true,
    });
    expect(await listCachedTokens(costing.operator)).toEqual([]);

    await setCachedTokens(costing.operator, ofAnthropic);
    expect(await listCachedTokens(costing.operator)).toMatchObject([
      { countsOf: 'PROVIDER', subject: 'anthropic', cachedTokens: 'INCLUDED' },
    ]);
    const [later = ''] = await costing.send([guessed()]);
    await costing.settle();
    expect(await costing.costs()).toEqual({ [id]: EXCLUDED, [later]: INCLUDED });
    expect((await explainCost(costing.live, later, null)).entries).toMatchObject([
      { reading: 'stated', tokenReading: expect.stringContaining('the organization states') },
    ]);
    expect(await guesses()).toEqual([1]);

    const year = new Date().getUTCFullYear();
    await reprice(costing.operator, { start: `${year - 1}-01-01`, end: `${year + 1}-01-01`, dryRun: false });
    expect(await costing.costs()).toEqual({ [id]: INCLUDED, [later]: INCLUDED });
    expect(await guesses()).toEqual([]);
    expect((await verifyCosting(costing.operator)).flatMap(({ differences }) => differences)).toEqual([]);
  });

  it('resolves a correct guess too', async () => {
    await costing.send([guessed()]);
    await costing.settle();
    await setCachedTokens(costing.operator, { ...ofAnthropic, cachedTokens: 'EXCLUDED' });
    const year = new Date().getUTCFullYear();
    await reprice(costing.operator, { start: `${year - 1}-01-01`, end: `${year + 1}-01-01`, dryRun: false });
    expect(await readings()).toEqual([
      { sequence: 0, reading: 'guessed', cause: 'priced' },
      { sequence: 1, reading: 'stated', cause: 'repriced' },
    ]);
    expect(await guesses()).toEqual([]);
    // The guess is resolved only once.
    await reprice(costing.operator, { start: `${year - 1}-01-02`, end: `${year + 1}-01-01`, dryRun: false });
    expect(await readings()).toHaveLength(2);
  });

  it('is previewed for events that an earlier statement decided', async () => {
    await setCachedTokens(costing.operator, ofAnthropic);
    const [id = ''] = await costing.send([guessed()]);
    await costing.settle();
    const change = { ...ofAnthropic, cachedTokens: 'EXCLUDED' } as const;
    const preview = await proposeCachedTokens(costing.operator, change, 30);
    expect(preview).toMatchObject({ events: 1, costBefore: INCLUDED, costAfter: EXCLUDED });
    // The same statement again changes nothing.
    expect(await proposeCachedTokens(costing.operator, ofAnthropic, 30)).toMatchObject({ events: 0, costAfter: '0' });
    await setCachedTokens(costing.operator, change);
    const year = new Date().getUTCFullYear();
    await reprice(costing.operator, { start: `${year - 1}-01-01`, end: `${year + 1}-01-01`, dryRun: false });
    expect(await costing.costs()).toEqual({ [id]: EXCLUDED });
    // Without a statement the cost stays, and is a guess again.
    await setCachedTokens(costing.operator, { ...ofAnthropic, cachedTokens: null });
    await reprice(costing.operator, { start: `${year - 1}-01-02`, end: `${year + 1}-01-01`, dryRun: false });
    expect(await guesses()).toEqual([1]);
    expect((await readings()).map((row: any) => row.reading)).toEqual(['stated', 'stated', 'guessed']);
  });

  it('counts earlier events that it decides differently, until they are repriced', async () => {
    const year = new Date().getUTCFullYear();
    const repricing = (day: string) =>
      reprice(costing.operator, { start: `${year - 1}-01-${day}`, end: `${year + 1}-01-01`, dryRun: false });
    const waiting = async () => (await listGuessedSources(costing.live, 366)).statedEvents;
    await setCachedTokens(costing.operator, ofAnthropic);
    await costing.send([guessed(), guessed({ stated_cached_tokens: 'included' })]);
    await costing.settle();
    expect(await waiting()).toBe(0);
    await setCachedTokens(costing.operator, { ...ofAnthropic, cachedTokens: 'EXCLUDED' });
    expect(await waiting()).toBe(1);
    await repricing('01');
    expect(await waiting()).toBe(0);
    await setCachedTokens(costing.operator, ofAnthropic);
    await repricing('02');
    expect(await waiting()).toBe(0);
    // Without a statement, the counts of Anthropic are assumed to exclude cached tokens.
    await setCachedTokens(costing.operator, { ...ofAnthropic, cachedTokens: null });
    expect(await waiting()).toBe(1);
  });

  it('does not count an event whose compaction is charged in addition to its own counts', async () => {
    await setCachedTokens(costing.operator, ofAnthropic);
    const iterations = [{ type: 'compaction', input_tokens: 500, output_tokens: 20 }];
    const [id = ''] = await costing.send([guessed({ metadata: { iterations } })]);
    await costing.settle();
    // And 500 tokens of input at 3, and 20 of output at 15.
    expect(await costing.costs()).toEqual({ [id]: '0.021' });
    expect((await readings()).map((row: any) => row.reading)).toEqual(['stated']);
    expect((await listGuessedSources(costing.live, 366)).statedEvents).toBe(0);
  });

  it('is previewed without events that a more specific statement decides', async () => {
    const key = randomUUID();
    const byKey = { ...costing.live, principal: { ...costing.live.principal, credentialId: key } };
    await costing.send([guessed()], byKey);
    await costing.send([guessed()]);
    await costing.settle();
    await setCachedTokens(costing.operator, { countsOf: 'API_KEY', subject: key, cachedTokens: 'EXCLUDED' });
    expect(await proposeCachedTokens(costing.operator, ofAnthropic, 30)).toMatchObject({
      events: 1,
      costBefore: EXCLUDED,
      costAfter: INCLUDED,
    });
  });

  it('a statement about cached tokens for a key applies to that key only, and takes precedence over that of the provider', async () => {
    const key = randomUUID();
    const byKey = { ...costing.live, principal: { ...costing.live.principal, credentialId: key } };
    await setCachedTokens(costing.operator, { countsOf: 'API_KEY', subject: key, cachedTokens: 'INCLUDED' });
    await setCachedTokens(costing.operator, { ...ofAnthropic, cachedTokens: 'EXCLUDED' });
    const [own = ''] = await costing.send([guessed()], byKey);
    const [other = ''] = await costing.send([guessed()]);
    await costing.settle();
    expect(await costing.costs()).toEqual({ [own]: INCLUDED, [other]: EXCLUDED });
    expect(await guesses()).toEqual([]);
  });

  it('is requested for each sender, beginning with the sender of the most events without one', async () => {
    const key = randomUUID();
    const byKey = { ...costing.live, principal: { ...costing.live.principal, credentialId: key } };
    const latest = new Date(Date.now() - 60_000);
    await costing.send([guessed(), guessed({ event_invoked_at: latest.toISOString() }), guessed()], byKey);
    await costing.send([guessed(), guessed({ cache_read_input_tokens: 0 }), guessed({ cost_override: '1' })]);
    await costing.settle();
    const asked = async () => {
      const { sources, statedEvents, isComplete } = await listGuessedSources(costing.live, 30);
      return [
        statedEvents,
        isComplete,
        ...sources.map((one) => [one.countsOf, one.subject, one.events, one.openEvents, one.lastAt]),
      ];
    };
    expect(await asked()).toEqual([0, true, ['PROVIDER', 'anthropic', 4, 4, latest], ['API_KEY', key, 3, 3, latest]]);
    await setCachedTokens(costing.operator, { countsOf: 'API_KEY', subject: key, cachedTokens: 'INCLUDED' });
    expect(await asked()).toEqual([3, true, ['PROVIDER', 'anthropic', 4, 1, latest], ['API_KEY', key, 3, 0, latest]]);
    expect(await listGuessedSources(costing.stranger, 366)).toMatchObject({ sources: [], statedEvents: 0 });
    for (const days of [0, 367])
      await expect(listGuessedSources(costing.live, days)).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
  });

  it('does not affect a provider’s own usage object', async () => {
    const [id = ''] = await costing.send([
      guessed({
        metadata: {
          usage: {
            input_tokens: 10_000,
            output_tokens: 0,
            cache_read_input_tokens: 4_000,
            cache_creation_input_tokens: 0,
          },
        },
      }),
    ]);
    await setCachedTokens(costing.operator, ofAnthropic);
    await costing.settle();
    expect(await costing.costs()).toEqual({ [id]: EXCLUDED });
  });

  it('can be removed, is audited, and applies to no other organization', async () => {
    await setCachedTokens(costing.operator, ofAnthropic);
    expect(await listCachedTokens(costing.stranger)).toEqual([]);
    expect(await setCachedTokens(costing.operator, { ...ofAnthropic, cachedTokens: null })).toBeNull();
    await expect(setCachedTokens(costing.operator, { ...ofAnthropic, cachedTokens: null })).rejects.toThrow(
      'No choice has been made for counts of anthropic',
    );
    await expect(
      setCachedTokens(costing.operator, { countsOf: 'API_KEY', subject: 'x', cachedTokens: 'INCLUDED' }),
    ).rejects.toThrow('subject must be the id of an API key');
    await costing.send([guessed()]);
    await costing.settle();
    expect(await guesses()).toEqual([1]);
    expect((await listAuditRecords(costing.operator, { first: 2 })).nodes).toMatchObject([
      { action: 'cached_tokens.removed', detail: 'provider anthropic' },
      { action: 'cached_tokens.set', detail: 'provider anthropic: cached tokens included' },
    ]);
  });
});
