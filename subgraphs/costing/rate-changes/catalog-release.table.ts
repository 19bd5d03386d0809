/** Imports of the price catalogue: the release, the time, and a report of the changes. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';

export const CatalogReleaseTable = defineEntity({
  name: 'CatalogRelease',
  tableName: 'catalog_release',
  properties: {
    id: p.uuid().primary(),
    /** `@pydantic/genai-prices 0.1.8`, or `given` for a document supplied by an operator. */
    source: p.text(),
    importedAt: p.datetime(3),
    /**
     * Time at which the prices were published, or the date stated in a document. Null if unknown: the import date is
     * then used.
     */
    publishedAt: p.datetime(3).nullable(),
    /** Model names by key: `added`, `changed`, `held`, `dropped`, `refused`, `omitted`. */
    report: p.json<Readonly<Record<string, readonly string[]>>>(),
  },
});

export type CatalogRelease = InferEntity<typeof CatalogReleaseTable>;

const INSERT_CATALOG_RELEASE = statement(
  (input: Parameters<{ id: string; source: string; importedAt: Date; publishedAt: Date | null; report: string }>) =>
    sql<object>`insert into catalog_release (id, source, imported_at, published_at, report) values (${input.id}, ${input.source}, ${input.importedAt}, ${input.publishedAt}, ${input.report}::jsonb)`,
);

export async function insertCatalogRelease(tx: WriteTransaction, release: CatalogRelease): Promise<void> {
  await tx.run(INSERT_CATALOG_RELEASE, {
    id: release.id,
    source: release.source,
    importedAt: release.importedAt,
    publishedAt: release.publishedAt,
    report: JSON.stringify(release.report),
  });
}

const IS_IMPORTED = statement(
  ({ source }: Parameters<{ source: string }>) =>
    sql<object>`select 1 from catalog_release where source = ${source} limit 1`,
);

/** Returns true if the source was already imported. */
export async function isImported(tx: WriteTransaction, source: string): Promise<boolean> {
  return (await tx.all(IS_IMPORTED, { source })).length > 0;
}

const NEWEST_RELEASE = statement(
  () =>
    sql<{ source: string; importedAt: Date; publishedAt: Date }>`
      select source, imported_at, coalesce(published_at, imported_at) as published_at from catalog_release order by imported_at desc, id desc limit 1`,
);

/** The release imported last; null before the first import. */
export async function findNewestRelease(
  tx: WriteTransaction,
): Promise<{ source: string; importedAt: Date; publishedAt: Date } | null> {
  return (await tx.all(NEWEST_RELEASE, {}))[0] ?? null;
}
