/** Limits on what an organization can store: the last one is accepted, the next is refused, and changes stay possible. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { saveAgreement } from '../../../subgraphs/costing/agreements/save-agreement.operation.ts';
import { saveAllowance } from '../../../subgraphs/costing/allowances/save-allowance.operation.ts';
import { topUpAllowance } from '../../../subgraphs/costing/allowances/top-up-allowance.operation.ts';
import { saveCommitment } from '../../../subgraphs/costing/commitments/save-commitment.operation.ts';
import { saveFixedCost } from '../../../subgraphs/costing/fixed-costs/save-fixed-cost.operation.ts';
import { saveProviderCredit } from '../../../subgraphs/costing/provider-credits/save-provider-credit.operation.ts';
import { setCachedTokens } from '../../../subgraphs/costing/rate-changes/set-cached-tokens.operation.ts';
import { setModelAlias } from '../../../subgraphs/costing/rate-changes/set-model-alias.operation.ts';
import { setRate } from '../../../subgraphs/costing/rate-changes/set-rate.operation.ts';
import { type Costing, startCosting } from './costing-builder.ts';

let costing: Costing;
beforeEach(async () => {
  costing = await startCosting();
  await setRate(costing.global, { model: 'gpt-4o', provider: 'openai', input: '2.5', output: '10' });
});
afterEach(() => costing.close());

interface Limit {
  readonly table: string;
  readonly max: number;
  /** The columns that differ between rows, as SQL with the number `n`. */
  readonly row: string;
  /** Saves a new item with this name, or changes the item with this id or name. */
  readonly save: (name: string, id?: string) => Promise<{ readonly id?: string | undefined } | null | object>;
}

const from = '2026-03-01';
const amount = { amount: '1', currency: 'USD' };
const ended = { from, until: '2026-03-02', ...amount, per: 'DAY' as const, quantity: '1' };
const withId = (id: string | undefined) => (id === undefined ? {} : { id });
const NEW_ID = "'id', md5(n::text)::uuid";

/** Numbers as in the documentation of the limits, not taken from the code. */
const LIMITS: Readonly<Record<string, Limit>> = {
  agreements: {
    table: 'agreement',
    max: 100,
    row: NEW_ID,
    save: (name, id) =>
      saveAgreement(costing.operator, { ...withId(id), provider: 'openai', name, from, discounts: [{ percent: '1' }] }),
  },
  commitments: {
    table: 'commitment',
    max: 50,
    row: NEW_ID,
    save: (name, id) =>
      saveCommitment(costing.operator, { ...withId(id), provider: 'openai', name, from, period: 'MONTH', ...amount }),
  },
  'commitments, with removed ones': {
    table: 'commitment',
    max: 500,
    row: `${NEW_ID}, 'is_removed', true`,
    save: (name, id) =>
      saveCommitment(costing.operator, { ...withId(id), provider: 'openai', name, from, period: 'MONTH', ...amount }),
  },
  credits: {
    table: 'provider_credit',
    max: 100,
    row: NEW_ID,
    save: (name, id) =>
      saveProviderCredit(costing.operator, {
        ...withId(id),
        kind: 'CREDIT',
        provider: 'openai',
        name,
        from,
        ...amount,
      }),
  },
  'credits, with removed ones': {
    table: 'provider_credit',
    max: 1_000,
    row: `${NEW_ID}, 'is_removed', true`,
    save: (name, id) =>
      saveProviderCredit(costing.operator, {
        ...withId(id),
        kind: 'CREDIT',
        provider: 'openai',
        name,
        from,
        ...amount,
      }),
  },
  'fixed costs, with ended ones': {
    table: 'fixed_cost',
    max: 500,
    row: `${NEW_ID}, 'key', 'copy-' || n`,
    save: (name) =>
      saveFixedCost(costing.operator, { key: name, name, driver: 'NONE', periods: [ended], replacesModelCost: false }),
  },
  'model aliases': {
    table: 'model_alias',
    max: 1_000,
    row: "'name', 'copy-' || n",
    save: (name) => setModelAlias(costing.operator, { name, model: 'gpt-4o' }),
  },
  'choices about cached tokens': {
    table: 'cached_tokens_rule',
    max: 200,
    row: "'subject', 'copy-' || n",
    save: (subject) => setCachedTokens(costing.operator, { countsOf: 'PROVIDER', subject, cachedTokens: 'INCLUDED' }),
  },
  allowances: {
    table: 'allowance',
    max: 100_000,
    row: `${NEW_ID}, 'subject_id', 'copy-' || n`,
    save: (subjectId) =>
      saveAllowance(costing.operator, { subject: 'END_USER', subjectId, period: 'DAY', amount: '1', policy: 'DENY' }),
  },
};

/** Copies the only row until the table has `count` rows. */
const fill = ({ table, row }: Limit, count: number) =>
  costing.rows(
    `insert into ${table} select copy.* from ${table} as own, generate_series(1, $1::int) as n,
       jsonb_populate_record(own, jsonb_build_object(${row})) as copy returning 1`,
    [count - 1],
  );

it.each(Object.entries(LIMITS))('%s', async (_, limit) => {
  const first = (await limit.save('first')) as { readonly id?: string };
  await fill(limit, limit.max - 1);
  await limit.save('last');
  await expect(limit.save('one-too-many')).rejects.toThrow(`The limit of `);
  await expect(limit.save('first', first.id)).resolves.toBeDefined();
});

it('an alias of the same name at another provider counts as another alias', async () => {
  await setModelAlias(costing.operator, { name: 'first', model: 'gpt-4o' });
  await fill(LIMITS['model aliases']!, 1_000);
  const ofProvider = { name: 'first', provider: 'openai', model: 'gpt-4o' };
  await expect(setModelAlias(costing.operator, ofProvider)).rejects.toThrow('The limit of 1000 aliases');
});

it('top-ups of an allowance are limited; a resend still gets its response', async () => {
  const { id } = await saveAllowance(costing.operator, { subject: 'ORGANIZATION', period: 'PREPAID', policy: 'DENY' });
  const topUp = (idempotencyKey: string) =>
    topUpAllowance(costing.operator, { allowanceId: id, amount: '1', idempotencyKey });
  await topUp('first');
  await fill(
    {
      table: 'allowance_top_up',
      max: 10_000,
      row: `${NEW_ID}, 'idempotency_key', 'copy-' || n`,
      save: () => topUp('first'),
    },
    9_999,
  );
  expect(await topUp('last')).toMatchObject({ amount: '10000' });
  await expect(topUp('one-too-many')).rejects.toThrow('The limit of 10000 top-ups is reached');
  expect(await topUp('last')).toMatchObject({ amount: '10000' });
});
