/** Imports of the price catalogue: which release, when, and what it did. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';

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
