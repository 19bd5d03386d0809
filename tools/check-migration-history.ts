/**
 * The part of `npm run check:migrations` that needs no database. A subgraph's migrations match its `history.json`, and
 * every table defined in a file is among its entities.
 */
import { createHash } from 'node:crypto';
import { globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EntitySchema } from '@mikro-orm/core';
import {
  type MigrationHistory,
  historyFile,
  readMigrationHistory,
} from '#platform/database/migrations/migration-history.ts';
import type { SubgraphDefinition } from '#platform/subgraph/subgraph.ts';

/** A name begins with its creation time: `YYYYMMDDhhmmss`, UTC. */
const MADE_AT = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})-/;

/** One sentence per violation, with its fix. */
export function historyErrors(folder: URL, nowMs: number): string[] {
  const recorded = Object.entries(readMigrationHistory(folder).migrations);
  const files = migrationFiles(folder);
  const last = recorded.at(-1)?.[0] ?? '';
  return [
    ...recorded.flatMap(([name, digest]) => errorOfRecorded(folder, files, name, digest)),
    ...files.filter((name) => !recorded.some(([known]) => known === name)).map((name) => errorOfUnrecorded(name, last)),
    ...files.flatMap((name) => errorOfName(name, nowMs)),
  ];
}

/** Records the current migrations without checking them. */
export function recordHistory(folder: URL): void {
  const migrations = Object.fromEntries(migrationFiles(folder).map((name) => [name, digestOf(folder, name)]));
  const history: MigrationHistory = { ...readMigrationHistory(folder), migrations };
  writeFileSync(historyFile(folder), `${JSON.stringify(history, null, 2)}\n`);
}

function errorOfRecorded(folder: URL, files: readonly string[], name: string, digest: string): string[] {
  if (!files.includes(name)) return [`${name} is missing, although databases have run it: restore it`];
  if (digestOf(folder, name) === digest) return [];
  return [`${name} was edited, although databases have run it: undo the edit and add a migration`];
}

function errorOfUnrecorded(name: string, last: string): string {
  return name < last
    ? `${name} sorts before ${last}, which databases have run: create it again with \`npm run migration:create\``
    : `${name} is not in history.json: run \`npm run migration:record\``;
}

function errorOfName(name: string, nowMs: number): string[] {
  const [, year, month, day, hour, minute, second] = (MADE_AT.exec(name) ?? []).map(Number);
  if (year === undefined)
    return [`${name} does not begin with its creation time: create it with \`npm run migration:create\``];
  const madeMs = Date.UTC(year, (month ?? 0) - 1, day, hour, minute, second);
  return madeMs > nowMs
    ? [`${name} has a creation time in the future: create it with \`npm run migration:create\``]
    : [];
}

function migrationFiles(folder: URL): string[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => file.slice(0, -'.ts'.length))
    .sort();
}

function digestOf(folder: URL, name: string): string {
  return createHash('sha256')
    .update(readFileSync(new URL(`${name}.ts`, folder)))
    .digest('hex');
}

/** One line for each entity that a `.table.ts` of the subgraph exports but its definition does not list. */
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
