/** Verification state of the books. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { DIFFERENCES_MAX, type DifferenceView, toDifferenceView } from './book-difference-view.ts';
import { listDifferences } from './book-difference.table.ts';
import { findBookState } from './book-state.table.ts';

export interface Books {
  readonly state: 'CLEAN' | 'DIFFERING' | 'UNVERIFIED';
  readonly verifiedAt: Date | null;
  readonly roundAt: Date | null;
  readonly differingSince: Date | null;
  readonly differences: DifferenceView[];
}

/** State of the books of the caller's organization. */
export function getBooks(context: SubgraphContext): Promise<Books> {
  const organizationId = organizationOf(context);
  return context.database.write(organizationId, async (tx) => {
    const state = await findBookState(tx, organizationId);
    const differences = (await listDifferences(tx, organizationId, { limit: DIFFERENCES_MAX })).map(toDifferenceView);
    const toDate = (iso: string | null | undefined) => (iso ? new Date(iso) : null);
    return {
      state: differences.length > 0 ? 'DIFFERING' : state === null ? 'UNVERIFIED' : 'CLEAN',
      verifiedAt: toDate(state?.verifiedAt),
      roundAt: toDate(state?.roundAt),
      differingSince: differences[0]?.since ?? null,
      differences,
    };
  });
}
