/** Imports of the price catalogue: which release, when, and what it did. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { query } from '../../../../platform/database/sql.ts';

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

export async function insertCatalogRelease(em: EntityManager, release: CatalogRelease): Promise<void> {
  await query(em, 'insert into catalog_release (id, source, imported_at, report) values ($1, $2, $3, $4::jsonb)', [
    release.id,
    release.source,
    release.importedAt,
    JSON.stringify(release.report),
  ]);
}

/** Whether a source was imported already. */
export async function isImported(em: EntityManager, source: string): Promise<boolean> {
  return (await query(em, 'select 1 from catalog_release where source = $1 limit 1', [source])).length > 0;
}
