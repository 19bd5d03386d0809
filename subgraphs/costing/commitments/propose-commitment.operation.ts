/** Computes the figures of a commitment as if it were saved. Stores nothing. */
import { instantOf } from '#kernel/time/instant.ts';
import { addDays } from '#kernel/time/utc-day.ts';
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { LEDGER_ENTRIES_MAX } from '../config.ts';
import { hasMoreEntries } from '../ledger/ledger-costs.query.ts';
import { settledUntil } from '../provider-costs/settled-days.ts';
import { readDayCosts } from '../provider-costs/day-costs.query.ts';
import type { CommitmentSaveInput } from '../resolvers.generated.ts';
import { changeCommitment } from './change-commitment.step.ts';
import { toCommitmentView } from './commitment-view.ts';
import { spentOf } from './compute-commitments.step.ts';
import { HISTORY_DAYS } from './forecast-period.ts';
import { fulfilCommitment } from './fulfil-commitment.ts';
import { parseCommitment } from './parse-commitment.ts';

/** Fails like `commitmentSave`, and with `UNPROCESSABLE_ENTITY` if the days have more than a million entries. */
export async function proposeCommitment(context: SubgraphContext, input: CommitmentSaveInput) {
  const organizationId = organizationOf(context);
  const at = now();
  const today = at.toISOString().slice(0, 10);
  const draft = parseCommitment(input, today);
  return context.database.snapshot(organizationId, async (tx) => {
    const { changed } = await changeCommitment(tx, organizationId, input.id ?? null, draft, at);
    const fromDay = addDays(changed.fromDay, -HISTORY_DAYS);
    const settled = settledUntil(at);
    const untilDay = changed.untilDay !== null && changed.untilDay < settled ? changed.untilDay : settled;
    if (fromDay >= untilDay) return toCommitmentView(changed, { amounts: [], days: [] }, today);
    const window = { start: instantOf(new Date(fromDay)), end: instantOf(new Date(untilDay)) };
    if (await hasMoreEntries(tx, { organizationId, window, asOf: null }, LEDGER_ENTRIES_MAX))
      fail(
        'UNPROCESSABLE_ENTITY',
        `The days of the commitment have more than ${LEDGER_ENTRIES_MAX} entries: save it without a preview`,
      );
    const read = await readDayCosts(tx, organizationId, [changed.providerSlug], { fromDay, untilDay });
    const days = read.map(({ day, cells }) => ({ day, spent: spentOf(changed, cells) }));
    return toCommitmentView(changed, { amounts: fulfilCommitment(changed, days), days }, today);
  });
}
