/** Switches the caller's session to its organization's sample data, creating it if necessary. */
import { now } from '#platform/clock.ts';
import { randomUuid } from '#platform/random.ts';
import { actorOf } from '#platform/subgraph/audit-record.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { findSample, lockOrganization, OrganizationTable, SAMPLE_NAME } from '../accounts/organization.table.ts';
import { recordAudit } from '../audit-log/audit-record.table.ts';
import { sessionCaller } from '../sessions/session-caller.ts';
import { setInSample } from '../sessions/session.table.ts';
import { type SampleView, toSampleView } from './sample-view.ts';

/** Safe to repeat: an organization has one sample. */
export function openSample({ database, principal }: SubgraphContext): Promise<SampleView | null> {
  const { organizationId: sampleOf, sessionId } = sessionCaller(principal);
  return database.system(async (tx) => {
    await lockOrganization(tx, sampleOf);
    let sample = await findSample(tx, sampleOf);
    if (sample === null) {
      const createdAt = now();
      const organizationId = randomUuid();
      await tx.em.insert(OrganizationTable, { organizationId, name: SAMPLE_NAME, createdAt, sampleOf });
      await recordAudit(tx, {
        organizationId: sampleOf,
        at: createdAt,
        action: 'sample_data.created',
        ...actorOf(principal),
        subjectId: organizationId,
      });
      sample = await tx.em.findOneOrFail(OrganizationTable, { organizationId });
    }
    await setInSample(tx, sampleOf, sessionId, true);
    return toSampleView(sample, true);
  });
}
