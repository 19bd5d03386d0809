/**
 * The name of the built-in catalogue changes with every rate that is stated by hand, so that every installation
 * imports it.
 */
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { BUILT_IN_SOURCE } from '../../../../subgraphs/costing/rate-changes/built-in-catalogue.ts';
import { digestOf, STATED_TABLES } from '../../../../subgraphs/costing/rate-changes/stated-digest.ts';

const COSTING = new URL('../../../../subgraphs/costing/', import.meta.url).pathname;
const TABLE =
  /const ([A-Z_]+): (?:readonly |Readonly<Record<string, readonly )(?:Stated\w+|DatedAlias|PriceCorrection|ModelInfo)\[\]/g;

it('the digest covers every table of hand-written rates', async () => {
  const found = [];
  for await (const file of glob(`${COSTING}{rates,rate-changes}/**/*.ts`))
    found.push(...[...readFileSync(file, 'utf8').matchAll(TABLE)].map(([, name]) => name));
  expect(found.length).toBeGreaterThan(5);
  expect(Object.keys(STATED_TABLES).sort()).toEqual(found.sort());
});

it('the digest changes with a price, a pattern and a row', () => {
  const table = [{ models: /^gpt-5/, fees: { web_searches: '0.01' } }];
  const digests = [
    table,
    [{ ...table[0], fees: { web_searches: '0.02' } }],
    [{ ...table[0], models: /^gpt-6/ }],
    [...table, ...table],
  ].map((rows) => digestOf({ table: rows }));
  expect(new Set(digests).size).toBe(digests.length);
  expect(digestOf({ table })).toBe(digests[0]);
  expect(BUILT_IN_SOURCE).toContain(digestOf(STATED_TABLES));
});
