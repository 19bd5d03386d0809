/** Discounts agreed with a provider: what is charged, how it is explained, and what repricing changes. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listAgreements } from '../../../../subgraphs/costing/agreements/list-agreements.operation.ts';
import { proposeAgreement } from '../../../../subgraphs/costing/agreements/propose-agreement.operation.ts';
import { removeAgreement } from '../../../../subgraphs/costing/agreements/remove-agreement.operation.ts';
import { saveAgreement } from '../../../../subgraphs/costing/agreements/save-agreement.operation.ts';
import { listAuditRecords } from '../../../../subgraphs/costing/audit-log/list-audit-records.operation.ts';
import { explainCost } from '../../../../subgraphs/costing/ledger/explain-cost.operation.ts';
import { getUsagePrice } from '../../../../subgraphs/costing/pricing/get-usage-price.operation.ts';
import { importCatalogue } from '../../../../subgraphs/costing/rate-changes/import-catalogue.operation.ts';
import { setRate } from '../../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { getRateEstimationTable } from '../../../../subgraphs/costing/rates/get-rate-estimation-table.operation.ts';
import { reprice } from '../../../../subgraphs/costing/repricing/reprice.operation.ts';
import { verifyCosting } from '../../../../subgraphs/costing/verification/verify-costing.operation.ts';
import type { AgreementSaveInput } from '../../../../subgraphs/costing/resolvers.generated.ts';
import { calls, call, type Costing, startCosting } from '../costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
  await importCatalogue(costing.global);
});
afterEach(() => costing.close());

/** At Anthropic's published prices: 3 per million input tokens, 15 per million output tokens: 0.045 USD. */
const sonnet = (more: object = {}) =>
  call({ model: 'claude-sonnet-4-6', provider: 'anthropic', input_tokens: 10_000, output_tokens: 1_000, ...more });

const enterprise = {
  provider: 'Anthropic',
  name: 'Enterprise 2026',
  from: '2020-01-01',
  discounts: [{ percent: '20' }],
};

const save = (input: Partial<AgreementSaveInput>) => saveAgreement(costing.operator, { ...enterprise, ...input });
const priceOne = async (event: object): Promise<string | undefined> => {
  const [id = ''] = await costing.send([event]);
  await costing.settle();
  return (await costing.costs())[id];
};
const differences = async () => (await verifyCosting(costing.operator)).flatMap((check) => check.differences);

describe('a discount', () => {
  it('is subtracted from the list price and named on each line', async () => {
    await save({});
    const [id = ''] = await costing.send([sonnet()]);
    await costing.settle();
    expect(await costing.costs()).toEqual({ [id]: '0.036' });
    const { entries } = await explainCost(costing.live, id, null);
    expect(entries[0]!.lines).toMatchObject([
      { class: 'input', rate: '2.4', cost: '0.024', why: 'less 20 % (Enterprise 2026)' },
      { class: 'output', rate: '12', cost: '0.012', why: 'less 20 % (Enterprise 2026)' },
    ]);
    expect(await differences()).toEqual([]);
  });

  /**
   * Lines of an organization with a flat discount of 20 % as Anthropic's cost report shows them (`amount` and
   * `list_amount`; sample of tokenbill, MIT), with the tokens that give the list amount at the published prices.
   */
  it.each([
    ['input_tokens', 28_121_900, '140.6095', '112.4876'],
    ['output_tokens', 7_686_100, '192.1525', '153.722'],
    ['cache_read_input_tokens', 56_964_500, '28.48225', '22.7858'],
  ])('gives the amount that the provider bills for %s', async (name, tokens, list, amount) => {
    const counts = { input_tokens: 0, output_tokens: 0, [name]: tokens };
    const opus = () => call({ model: 'claude-opus-5', provider: 'anthropic', ...counts });
    expect(await priceOne(opus())).toBe(list);
    await save({});
    expect(await priceOne(opus())).toBe(amount);
  });

  it('applies only to the models, classes and days it selects, and the largest of several discounts counts', async () => {
    await save({
      discounts: [
        { percent: '10', models: ['claude-sonnet-*'] },
        { percent: '50', models: ['claude-sonnet-*'], classes: ['output'] },
        { percent: '99', models: ['claude-opus-*'] },
        { percent: '99', until: '2020-02-01' },
      ],
    });
    // 0.03 less 10 % and 0.015 less 50 %.
    expect(await priceOne(sonnet())).toBe('0.0345');
    expect(
      await priceOne(call({ model: 'gpt-4o', provider: 'openai', input_tokens: 1_000_000, output_tokens: 0 })),
    ).toBe('2.5');
  });

  it('applies from the first to the last instant of its days, in UTC', async () => {
    await save({ from: '2026-03-01', until: '2026-03-02' });
    const at = (instant: string) => priceOne(sonnet({ event_invoked_at: instant }));
    expect(await at('2026-02-28T23:59:59.999Z')).toBe('0.045');
    expect(await at('2026-03-01T00:00:00Z')).toBe('0.036');
    expect(await at('2026-03-01T23:59:59.999Z')).toBe('0.036');
    expect(await at('2026-03-02T00:00:00Z')).toBe('0.045');
  });

  it('applies only on the days that it and its agreement have in common', async () => {
    const discounts = [{ percent: '20', from: '2026-02-01', until: '2026-04-01' }];
    const at = (instant: string) => priceOne(sonnet({ event_invoked_at: instant }));
    const { id } = await save({ from: '2026-03-01', until: '2026-03-02', discounts });
    expect(await at('2026-02-15T00:00:00Z')).toBe('0.045');
    expect(await at('2026-03-01T12:00:00Z')).toBe('0.036');
    expect(await at('2026-03-15T00:00:00Z')).toBe('0.045');
    await save({ id, from: '2020-01-01', until: '2030-01-01', discounts });
    expect(await at('2026-01-31T23:59:59.999Z')).toBe('0.045');
    expect(await at('2026-02-01T00:00:00Z')).toBe('0.036');
    expect(await at('2026-04-01T00:00:00Z')).toBe('0.045');
  });

  it('does not change costs at the organization’s own rates, or stated costs', async () => {
    await setRate(costing.operator, { model: 'claude-sonnet-4-6', provider: 'anthropic', input: '1', output: '2' });
    await save({});
    expect(await priceOne(sonnet())).toBe('0.012');
    expect(await priceOne(sonnet({ cost_override: '7' }))).toBe('7');
  });

  it('a discount of 100 % makes a call free, which is not a missing price', async () => {
    await save({ discounts: [{ percent: '100' }] });
    expect(await priceOne(sonnet())).toBe('0');
  });

  it('entered late equals one entered in time, once booked events are repriced', async () => {
    const ids = await costing.send([sonnet(), sonnet(), ...calls(1)]);
    await costing.settle();
    const proposal = await proposeAgreement(costing.operator, enterprise);
    expect(proposal).toMatchObject({ events: 2, isComplete: true });
    expect(proposal.difference.toString()).toBe('-0.018');
    expect(await listAgreements(costing.operator)).toEqual([]);
    expect(await priceOne(sonnet())).toBe('0.045');

    await save({});
    const inTime = await priceOne(sonnet());
    const year = new Date().getUTCFullYear();
    await reprice(costing.operator, { start: `${year - 1}-01-01`, end: `${year + 1}-01-01`, dryRun: false });
    const costs = await costing.costs();
    expect(ids.slice(0, 2).map((id) => costs[id])).toEqual([inTime, inTime]);
    expect(await differences()).toEqual([]);
  });

  it('also previews the days that an agreement no longer covers', async () => {
    const { id } = await save({});
    await costing.send([sonnet(), sonnet({ event_invoked_at: '2026-03-01T12:00:00Z' })]);
    await costing.settle();
    const shorter = await proposeAgreement(costing.operator, { ...enterprise, id, until: '2026-03-02' });
    expect(shorter.events).toBe(1);
    expect(shorter.difference.toString()).toBe('0.009');
  });

  it('ends with its agreement: later events are booked at the list price', async () => {
    const { id } = await save({});
    await removeAgreement(costing.operator, id);
    expect(await priceOne(sonnet())).toBe('0.045');
    await expect(removeAgreement(costing.operator, id)).rejects.toThrow('Unknown agreement');
    const { nodes } = await listAuditRecords(costing.operator, { first: 2 });
    expect(nodes.map(({ action }) => action)).toEqual(['agreement.removed', 'agreement.created']);
  });

  it('is in the estimation table and in the price of a planned call', async () => {
    const inputRate = async () =>
      (await getRateEstimationTable(costing.operator))
        .list()
        .find(({ model_slug: slug }) => slug === 'claude-sonnet-4-6')?.['input_cost_per_million'];
    expect(await inputRate()).toBe('3');
    await save({});
    expect(await inputRate()).toBe('2.4');
    const usage = { input_tokens: 10_000, output_tokens: 1_000 };
    const price = await getUsagePrice(costing.operator, { model: 'claude-sonnet-4-6', provider: 'anthropic', usage });
    expect(price.totalCost?.toString()).toBe('0.036');
  });

  it('concerns only its organization', async () => {
    await save({});
    const [id = ''] = await costing.send([sonnet()], costing.stranger);
    await costing.settle();
    const rows = await costing.rows<{ cost: string }>(
      'select trim_scale(total_cost)::text as cost from cost_entry where event_id = $1',
      [id],
    );
    expect(rows).toEqual([{ cost: '0.045' }]);
    expect(await listAgreements(costing.stranger)).toEqual([]);
  });
});

describe('an agreement', () => {
  it('is replaced as a whole', async () => {
    const { id } = await save({ reference: 'C-1' });
    await save({ id, name: 'Renewed', until: '2030-01-01', discounts: [{ percent: '12.5', models: ['Claude-*'] }] });
    expect(await listAgreements(costing.operator)).toMatchObject([
      {
        id,
        provider: 'anthropic',
        name: 'Renewed',
        reference: null,
        until: '2030-01-01',
        isInForce: true,
        discounts: [{ models: ['claude-*'], classes: null }],
      },
    ]);
    expect(await priceOne(sonnet())).toBe('0.039375');
  });

  it.each([
    [{ provider: 'nobody-knows-it' }, 'provider nobody-knows-it has no rate cards'],
    [{ from: '2026-13-01' }, 'from must be a UTC day'],
    [{ from: '2026-02-01', until: '2026-02-01' }, 'until must be after from'],
    [
      { discounts: [{ percent: '1', from: '2026-02-01', until: '2026-02-01' }] },
      'until of a discount must be after its from',
    ],
    [{ discounts: [] }, 'discounts must contain at least one discount'],
    [{ discounts: [{ percent: '0' }] }, 'percent must be above 0'],
    [{ discounts: [{ percent: '100.1' }] }, 'percent must be above 0'],
    [{ discounts: [{ percent: '1.00001' }] }, 'percent must be above 0'],
    [
      { discounts: [{ percent: '1', classes: ['cache_reads'] }] },
      'classes contains cache_reads, which is neither a token class nor a unit on a rate card. Did you mean cache_read?',
    ],
    [{ name: ' ' }, 'name must have 1 to 255 characters'],
    [{ id: '00000000-0000-4000-8000-000000000000' }, 'Unknown agreement'],
  ])('is refused: %j', async (input, message) => {
    await expect(save(input)).rejects.toThrow(message);
    expect(await listAgreements(costing.operator)).toEqual([]);
  });
});
