import { describe, expect, it } from 'vitest';
import { columnsOf } from '#platform/database/columns.ts';
import { COUNTED_CLASSES, costOf, TOKEN_CLASS_NAMES, tokensOf, wireName } from '#schema/token-classes.ts';
import { RateTierTable } from '../../subgraphs/costing/rates/rate-tier.table.ts';
import { RollupDayTable } from '../../subgraphs/attribution/rollups/rollup-day.table.ts';
import { CostFactTable } from '../../subgraphs/attribution/rollups/cost-fact.table.ts';
import { CostEntryTable } from '../../subgraphs/costing/ledger/cost-entry.table.ts';
import { UsageEventTable } from '../../subgraphs/costing/events/usage-event.table.ts';

describe('the classes of tokens', () => {
  it('have the names of the wire and of the columns', () => {
    expect(TOKEN_CLASS_NAMES.map((name) => wireName(name))).toEqual([
      'input',
      'output',
      'cache_creation',
      'cache_creation_1h',
      'cache_read',
      'reasoning',
      'input_audio',
      'output_audio',
      'cache_read_audio',
      'input_image',
      'output_image',
      'cache_read_image',
      'input_video',
      'output_video',
    ]);
  });

  it.each([
    ['usage_event', UsageEventTable, COUNTED_CLASSES.map(tokensOf)],
    ['cost_entry', CostEntryTable, COUNTED_CLASSES.map(costOf)],
    ['cost_fact', CostFactTable, [...COUNTED_CLASSES.map(tokensOf), ...COUNTED_CLASSES.map(costOf)]],
    ['rollup_day', RollupDayTable, [...COUNTED_CLASSES.map(tokensOf), ...COUNTED_CLASSES.map(costOf)]],
    ['rate_tier', RateTierTable, TOKEN_CLASS_NAMES],
  ] as const)('each have a column of %s', (_table, entity, properties: readonly string[]) => {
    const columns = new Map(columnsOf(entity).map(({ property, name }) => [property, name]));
    expect(properties.map((property) => columns.get(property))).toEqual(properties.map((name) => wireName(name)));
  });
});
