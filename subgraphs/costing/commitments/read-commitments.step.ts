/** Reads commitments with the figures of their newest periods. */
import type { OrganizationId } from '#kernel/ids.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { listCommitmentDays } from './commitment-day.table.ts';
import { listBookedAmounts } from './commitment-entry.table.ts';
import { firstShownDay, toCommitmentView } from './commitment-view.ts';
import { listCommitmentRows } from './commitment.table.ts';
import { HISTORY_DAYS } from './forecast-period.ts';
import type { SpentDay } from './fulfil-commitment.ts';

/** Days settle within two days; the rest allows for a job that was down. */
const LATE_DAYS_MAX = 10;

/** Commitments by provider and first day. With `asOf`, as computed at that instant and without forecasts. */
export async function readCommitmentViews(
  tx: Transaction,
  organizationId: OrganizationId,
  { today, asOf = null }: { readonly today: string; readonly asOf?: Date | null },
) {
  const commitments = (await listCommitmentRows(tx, organizationId)).filter(({ isRemoved }) => !isRemoved);
  if (commitments.length === 0) return [];
  const fromDay = commitments.flatMap((one) => firstShownDay(one, today) ?? []).toSorted()[0] ?? today;
  const amounts = Map.groupBy(
    await listBookedAmounts(tx, organizationId, { fromDay, asOf }),
    ({ commitmentId }) => commitmentId,
  );
  const days =
    asOf === null
      ? await listCommitmentDays(tx, organizationId, addDays(today, -HISTORY_DAYS - LATE_DAYS_MAX))
      : new Map<string, readonly SpentDay[]>();
  return commitments.map((one) =>
    toCommitmentView(one, { amounts: amounts.get(one.id) ?? [], days: days.get(one.id) ?? [] }, today),
  );
}
