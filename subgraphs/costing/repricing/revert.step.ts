/** Reverts a repricing: appends entries to each event that cancel its changes. */
import { now } from '#platform/clock.ts';
import type { OperationProgress } from '#platform/operations/operation-lease.ts';
import type { OperationKind } from '#platform/operations/run-operation.ts';
import { REPRICE_EVENTS } from '../config.ts';
import { oppositeCharges } from '../ledger/charge-lines.ts';
import { mayResumeRepricing } from './begin-repricing.step.ts';
import { appendCorrections } from './corrections.step.ts';
import { explainDifference, isNoDifference, oppositeOf } from './cost-difference.ts';
import { type RepricingCursor, lockRepricings, markRepricingFinished, type RepricingOrder } from './repricing.table.ts';
import { readCorrections } from './standing-costs.query.ts';

export const REVERT = 'revert';

export const revertKind: OperationKind = {
  kind: REVERT,
  mayResume: mayResumeRepricing,
  step: (_, commit) =>
    commit(async (tx, { organizationId, id, parameters, place, done }): Promise<OperationProgress> => {
      await lockRepricings(tx, organizationId);
      const order = parameters as RepricingOrder & { readonly reverts: string };
      const corrected = await readCorrections(
        tx,
        organizationId,
        order.reverts,
        id,
        order,
        place as RepricingCursor,
        REPRICE_EVENTS,
      );
      const corrections = corrected
        .filter(({ parts }) => !isNoDifference(parts))
        .map((standing) => {
          const parts = oppositeOf(standing.parts);
          const charges = oppositeCharges(standing.charges);
          return {
            standing,
            parts,
            charges,
            entry: {
              rateCardId: null,
              rateCardVersionId: null,
              tierAbove: null,
              matchRule: null,
              explanation: explainDifference(parts, charges, null),
              pricingContext: '',
              unknownContext: null,
              reading: null,
              cause: 'reverted' as const,
            },
          };
        });
      await appendCorrections(tx, organizationId, id, corrections, now());
      const last = corrected.at(-1)?.event;
      if (!last) await markRepricingFinished(tx, organizationId, id);
      return {
        place: last ? { eventTime: last.eventTime, eventId: last.id } : place,
        done: done + corrected.length,
        isFinished: !last,
      };
    }),
};
