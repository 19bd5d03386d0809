import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import type { RateTierTable } from '../../../subgraphs/costing/rates/rate-tier.table.ts';

const db = tables<typeof RateTierTable>();

describe('a statement', () => {
  it('names columns as PostgreSQL does, and a repeated placeholder is one parameter', () => {
    const one = statement(({ id, max }: Parameters<{ id: string; max: number }>) =>
      db
        .selectFrom('rateTier')
        .select(['cacheCreation1h', 'aboveInputTokens'])
        .where((of) => of.or([of('organizationId', '=', id), of('rateCardVersionId', '=', id)]))
        .limit(max),
    );
    expect(one.text).toBe(
      'select "cache_creation_1h", "above_input_tokens" from "rate_tier" where ("organization_id" = $1 or "rate_card_version_id" = $1) limit $2',
    );
    expect(one.values({ id: 'a', max: 2 })).toEqual(['a', 2]);
  });

  it('is built once, with Kysely or in SQL', () => {
    let built = 0;
    const one = statement(({ id }: Parameters<{ id: string | null }>) => {
      built++;
      return sql`select ${id}::uuid, ${1}`;
    });
    expect([one.text, one.values({ id: null }), one.values({ id: 'b' })]).toEqual([
      'select $1::uuid, $2',
      [null, 1],
      ['b', 1],
    ]);
    expect(built).toBe(1);
  });

  it('does not lose placeholders that are passed on together', () => {
    const one = statement(({ id, ...others }: Parameters<{ id: string; name: string }>) => sql`${id} ${others.name}`);
    expect(() => one.text).toThrow('Placeholders cannot be listed');
  });

  it('takes named parameters in text, and leaves casts and quoted colons alone', () => {
    const one = statement<object, { id: string; max: number | null }>(
      `select :id::uuid, '{"a":null}', to_char(now(), 'HH24:MI:SS') from a where id = :id limit :max`,
    );
    expect(one.text).toBe(`select $1::uuid, '{"a":null}', to_char(now(), 'HH24:MI:SS') from a where id = $1 limit $2`);
    expect(one.values({ id: 'a', max: null })).toEqual(['a', null]);
    expect(() => one.values({ id: 'a' } as never)).toThrow('The parameter :max of a statement has no value');
  });

  it('may have a second text for several nodes; each text takes the parameters that it names', () => {
    const one = statement<object, { ids: readonly string[]; id: string }>({
      onOneNode: 'select any(:ids)',
      onSeveralNodes: 'select :id',
    });
    expect([one.text, one.onSeveralNodes?.text]).toEqual(['select any($1)', 'select $1']);
    expect(one.onSeveralNodes?.values({ ids: ['a'], id: 'a' })).toEqual(['a']);
  });
});
