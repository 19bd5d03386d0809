/** Imports of the price catalogue: which release, when, and what it did. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { type Parameters, run, statement } from '../../../../platform/database/statement.ts';

export const CatalogReleaseTable = defineEntity({
  name: 'CatalogRelease',
  tableName: 'catalog_release',
  properties: {
    id: p.uuid().primary(),
    /** `@pydantic/genai-prices 0.1.8`, or `given` for a document that an operator handed over. */
    source: p.text(),
    importedAt: p.datetime(3),
    /** Names of models: `added`, `changed`, `held`, `dropped`, `refused`, `omitted`. */
    report: p.json<Readonly<Record<string, readonly string[]>>>(),
  },
});

export type CatalogRelease = InferEntity<typeof CatalogReleaseTable>;

const INSERT_CATALOG_RELEASE = statement(
  (input: Parameters<{ id: string; source: string; importedAt: Date; report: string }>) =>
    sql<object>`insert into catalog_release (id, source, imported_at, report) values (${input.id}, ${input.source}, ${input.importedAt}, ${input.report}::jsonb)`,
);

export async function insertCatalogRelease(em: EntityManager, release: CatalogRelease): Promise<void> {
  await run(em, INSERT_CATALOG_RELEASE, {
    id: release.id,
    source: release.source,
    importedAt: release.importedAt,
    report: JSON.stringify(release.report),
  });
}

const IS_IMPORTED = statement(
  ({ source }: Parameters<{ source: string }>) =>
    sql<object>`select 1 from catalog_release where source = ${source} limit 1`,
);

/** Whether a source was imported already. */
export async function isImported(em: EntityManager, source: string): Promise<boolean> {
  return (await run(em, IS_IMPORTED, { source })).length > 0;
}
