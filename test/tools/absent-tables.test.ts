/** A table that `main.ts` does not list is found before a service lacks it. */
import { expect, it } from 'vitest';
import { EventPackTable } from '../../subgraphs/costing/credits/event-pack.table.ts';
import { definitions } from '../../start/definitions.ts';
import { absentTables } from '../../tools/check-migration-history.ts';

it.each(definitions)('$name lists all its tables', async (definition) => {
  expect(await absentTables(definition)).toEqual([]);
});

it('the check names a missing table, and where to add it', async () => {
  const costing = definitions.find(({ name }) => name === 'costing')!;
  const entities = costing.entities.filter((entity) => entity !== EventPackTable);
  expect(await absentTables({ ...costing, entities })).toEqual([
    'EventPackTable of credits/event-pack.table.ts is not among the entities of subgraphs/costing/main.ts: add it there',
  ]);
});
