/** Takes a repricing back by appending the opposite differences. */
import { fail } from '../../../schema/errors.ts';
import { isUuid } from '../../../kernel/uuid.ts';
import { actorOf } from '../../../platform/subgraph/audit-record.ts';
import { now } from '../../../platform/clock.ts';
import type { EntityManager } from '../../../platform/database/open-database.ts';
import { liftTimeLimit } from '../../../platform/database/sql.ts';
import type { Principal } from '../../../platform/principal.ts';
import { randomUuid } from '../../../platform/random.ts';
import type { SubgraphContext } from '../../../platform/subgraph/context.ts';
import { organizationOf } from '../../../platform/subgraph/organization-of.ts';
import { REPRICE_EVENTS } from '../config.ts';
import { shareRates } from '../rates/rate-generation.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { appendCorrections, isCorrectedAgain, readCorrections, sumCorrections } from './corrections.step.ts';
import {
  advanceRepricing,
  findRepricing,
  holdRepricings,
  insertRepricing,
  type RepricingOrder,
} from './repricing.table.ts';
import { explainDifference, oppositeOf } from './cost-difference.ts';
import { type Repricing, repricingOf } from './repricing-result.ts';

/** The later of two repricings of an event has to be taken back first. An interrupted revert goes on where it was. */
export async function revertRepricing(context: SubgraphContext, repricingId: string): Promise<Repricing> {
  const organizationId = organizationOf(context);
  const { database } = context;
  if (!isUuid(repricingId)) fail('NOT_FOUND', 'Unknown repricing');
  const { id, order } = await database.forOrganization(organizationId, (em) =>
    begin(em, organizationId, repricingId, context.principal),
  );
  while (await database.acrossOrganizations((em) => revertPage(em, organizationId, id))) continue;
  return repricingOf(
    id,
    await database.forOrganization(organizationId, (em) => sumCorrections(em, organizationId, id, order)),
  );
}

async function begin(
  em: EntityManager,
  organizationId: string,
  repricingId: string,
  principal: Principal,
): Promise<{ id: string; order: RepricingOrder }> {
  await liftTimeLimit(em);
  await holdRepricings(em, organizationId);
  const repricing = (await findRepricing(em, organizationId, repricingId)) ?? fail('NOT_FOUND', 'Unknown repricing');
  if (repricing.reverts !== null) fail('VALIDATION_ERROR', 'This is a revert: to take it back, reprice');
  if (!repricing.finished) fail('VALIDATION_ERROR', 'This repricing has not come to its end: ask for it again first');
  const order = { start: repricing.start, end: repricing.end, model: repricing.model, reverts: repricingId };
  const begun = repricing.revertedBy === null ? null : await findRepricing(em, organizationId, repricing.revertedBy);
  if (begun?.finished) fail('VALIDATION_ERROR', 'This repricing was taken back already');
  const audit = { organizationId, at: now(), ...actorOf(principal), subjectId: repricingId };
  if (begun) {
    await recordAudit(em, { ...audit, action: 'repricing.revert_continued', detail: `by ${begun.id}` });
    return { id: begun.id, order };
  }
  if (await isCorrectedAgain(em, organizationId, repricingId, order)) {
    fail('VALIDATION_ERROR', 'Some of its events were repriced again since: take that repricing back first');
  }
  const id = randomUuid();
  await insertRepricing(em, organizationId, id, order, audit.at);
  await recordAudit(em, { ...audit, action: 'repricing.revert_begun', detail: `by ${id}` });
  return { id, order };
}

/** Says whether there is more to do. */
async function revertPage(em: EntityManager, organizationId: string, id: string): Promise<boolean> {
  await shareRates(em);
  await holdRepricings(em, organizationId);
  const revert = await findRepricing(em, organizationId, id);
  if (!revert || revert.finished || revert.reverts === null) return false;
  const corrected = await readCorrections(em, organizationId, revert.reverts, revert, revert.done, REPRICE_EVENTS);
  const last = corrected.at(-1)?.event;
  const at = now();
  await advanceRepricing(em, organizationId, id, last ? { eventTime: last.eventTime, eventId: last.id } : null, at);
  await appendCorrections(
    em,
    organizationId,
    id,
    corrected.map((standing) => {
      const parts = oppositeOf(standing.parts);
      return {
        standing,
        parts,
        entry: {
          rateCardId: null,
          rateCardVersionId: null,
          tierAbove: null,
          matchRule: null,
          explanation: explainDifference(parts, null),
          cause: 'reverted',
        },
      };
    }),
    at,
  );
  return corrected.length > 0;
}
