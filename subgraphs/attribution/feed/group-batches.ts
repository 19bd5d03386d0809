/** Cuts a page of the feed into transactions: few enough facts to commit soon, enough to be fast. */
import type { PricedBatch } from '../../../schema/priced-feed.ts';

/** Batches in order, each group with at most `factsMax` facts unless a single batch has more. */
export function groupBatches(batches: readonly PricedBatch[], factsMax: number): PricedBatch[][] {
  const groups: PricedBatch[][] = [];
  let facts = 0;
  for (const batch of batches) {
    const group = groups.at(-1);
    if (group && facts + batch.facts.length <= factsMax) {
      group.push(batch);
      facts += batch.facts.length;
    } else {
      groups.push([batch]);
      facts = batch.facts.length;
    }
  }
  return groups;
}
