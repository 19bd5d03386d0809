/** Context of writing one sync page. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import type { Processor } from '../stripe/processor.ts';
import type { SyncCounts } from './record-counts.ts';

export interface SyncPage {
  readonly organizationId: OrganizationId;
  readonly processor: Processor;
  readonly endUserKey: string;
  readonly runId: string;
  readonly counts: SyncCounts;
  /** Runs a short transaction; fails if the step has lost its lease. */
  write<Result>(work: (tx: WriteTransaction, now: Date) => Promise<Result>): Promise<Result>;
}
