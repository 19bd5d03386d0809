/** All kinds of long operations of this subgraph. */
import type { OperationKind } from '#platform/operations/run-operation.ts';
import { eraseKind } from '../erasure/erase-end-user.step.ts';
import { requeueFailedKind, requeueWaitingKind } from '../pricing-queue/requeue-events.step.ts';
import { repriceKind } from '../repricing/reprice.step.ts';
import { revertKind } from '../repricing/revert.step.ts';
import { fillSampleKind } from '../sample/fill-sample.step.ts';

export const OPERATION_KINDS: readonly OperationKind[] = [
  repriceKind,
  revertKind,
  requeueWaitingKind,
  requeueFailedKind,
  eraseKind,
  fillSampleKind,
];
