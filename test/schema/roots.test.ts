/** The graph has exactly the intended root fields. */
import { readFileSync } from 'node:fs';
import { buildSchema, isNonNullType } from 'graphql';
import { describe, expect, test } from 'vitest';

describe.each(['api.graphql', 'supergraph.graphql'])('%s', (file) => {
  const text = readFileSync(new URL(`../../schema/${file}`, import.meta.url), 'utf8');

  test('has queries and mutations, and no subscriptions', () => {
    const schema = buildSchema(text, { assumeValidSDL: true });
    expect(schema.getQueryType()?.name).toBe('Query');
    expect(schema.getMutationType()?.name).toBe('Mutation');
    expect(schema.getSubscriptionType()).toBeUndefined();
  });

  test('has no non-null query field, so that a failing one leaves the others', () => {
    const fields = Object.values(buildSchema(text, { assumeValidSDL: true }).getQueryType()?.getFields() ?? {});
    expect(fields.length).toBeGreaterThan(50);
    expect(fields.filter(({ type }) => isNonNullType(type)).map(({ name }) => name)).toEqual([]);
  });

  test('declares its roots explicitly', () => {
    expect(text).toMatch(/^schema\b/m);
  });
});
