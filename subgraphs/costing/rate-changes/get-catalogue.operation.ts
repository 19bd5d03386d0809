/** Returns the price catalogue in force and the age of its prices. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { Catalogue } from '../resolvers.generated.ts';
import { findNewestRelease } from './catalog-release.table.ts';

/** Null before the first import. */
export async function getCatalogue({ database }: SubgraphContext): Promise<Catalogue | null> {
  const release = await database.system(findNewestRelease);
  if (release === null) return null;
  const [publishedAt, importedAt] = [new Date(release.publishedAt), new Date(release.importedAt)];
  return {
    source: release.source,
    publishedAt: publishedAt.toISOString(),
    importedAt: importedAt.toISOString(),
    ageDays: Math.max(0, Math.floor((now().getTime() - publishedAt.getTime()) / DAY_MS)),
  };
}
