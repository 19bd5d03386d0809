/** The graph has the roots that it means to have. */
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { describe, expect, test } from 'vitest';

describe.each(['api.graphql', 'supergraph.graphql'])('%s', (file) => {
  const text = readFileSync(new URL(`../../schema/${file}`, import.meta.url), 'utf8');

  test('has queries and mutations, and no subscriptions', () => {
    const schema = buildSchema(text, { assumeValidSDL: true });
    expect(schema.getQueryType()?.name).toBe('Query');
    expect(schema.getMutationType()?.name).toBe('Mutation');
    expect(schema.getSubscriptionType()).toBeUndefined();
  });

  test('says its roots outright', () => {
    expect(text).toMatch(/^schema\b/m);
  });
});
