/** Tables that a subgraph defines and does not know: an entity that is missing in its `main.ts` has no table in the database. */
import { globSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EntitySchema } from '@mikro-orm/core';
import type { SubgraphDefinition } from '../platform/subgraph/subgraph.ts';

/** One line for each entity that a `.table.ts` of the subgraph exports and its definition does not name. */
export async function absentTables({
  name,
  schemaFile,
  entities,
}: Pick<SubgraphDefinition, 'name' | 'schemaFile' | 'entities'>): Promise<string[]> {
  const folder = fileURLToPath(new URL('./', schemaFile));
  const files = globSync(`${folder}**/*.table.ts`).sort();
  const exported = await Promise.all(
    files.map(async (file) =>
      Object.entries((await import(file)) as Record<string, unknown>).map((each) => [file, ...each] as const),
    ),
  );
  return exported
    .flat()
    .filter(([, , value]) => value instanceof EntitySchema && !entities.includes(value as Entity))
    .map(
      ([file, table]) =>
        `${table} of ${relative(folder, file)} is not among the entities of subgraphs/${name}/main.ts: add it there`,
    );
}

type Entity = SubgraphDefinition['entities'][number];
