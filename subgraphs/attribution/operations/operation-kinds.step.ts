/** Every kind of long operation of this subgraph. */
import type { OperationKind } from '../../../platform/operations/run-operation.ts';
import type { FollowerDependencies } from '../feed/follow-feeds.step.ts';
import { rebuildKind } from '../feed/rebuild.step.ts';
import { backfillKind } from '../rollups/upkeep/backfill.step.ts';
import { verifyKind } from '../verification/verify-books.step.ts';

export function operationKinds(dependencies: FollowerDependencies): readonly OperationKind[] {
  return [verifyKind(dependencies), backfillKind, rebuildKind(dependencies)];
}
