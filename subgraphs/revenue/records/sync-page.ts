/** Context of writing one sync page. */
import type { EntityManager } from '#platform/database/open-database.ts';
import type { Processor } from '../stripe/processor.ts';
import type { SyncCounts } from './record-counts.ts';

export interface SyncPage {
  readonly organizationId: string;
  readonly processor: Processor;
  readonly endUserKey: string;
  readonly runId: string;
  readonly counts: SyncCounts;
  /** Runs a short transaction; fails if the step has lost its lease. */
  write<Result>(work: (em: EntityManager, now: Date) => Promise<Result>): Promise<Result>;
}
