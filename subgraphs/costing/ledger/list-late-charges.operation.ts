/**
 * `Window.lateCharges`: charges that were booked in a later month than their event's, because the event's month was
 * closed (decision 29).
 */
import type { Window } from '#kernel/time/window.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { fail } from '#kernel/errors.ts';
import { LATE_CHARGES_MAX } from '../config.ts';
import { UNKNOWN_PROVIDER } from '#usage/names/canonical-provider.ts';
import { providerIdentity } from '../rates/matching/provider-identity.ts';
import type { LateCharge } from '../resolvers.generated.ts';
import { readLateCharges } from './late-charges.query.ts';

/** Fails with `UNPROCESSABLE_ENTITY` for more lines than the maximum. */
export async function listLateCharges(context: SubgraphContext, window: Window): Promise<LateCharge[]> {
  const organizationId = organizationOf(context);
  const charges = await context.database.snapshot(organizationId, (tx) =>
    readLateCharges(tx, organizationId, window, LATE_CHARGES_MAX + 1),
  );
  if (charges.length > LATE_CHARGES_MAX)
    fail('UNPROCESSABLE_ENTITY', `The window has more than ${LATE_CHARGES_MAX} late charges: choose a shorter window`);
  return charges.map(({ reported, providerSlug, ...charge }) => ({
    ...charge,
    provider: providerOf(reported, providerSlug),
  }));
}

/** The provider as `ChargeDay.provider` shows it. */
function providerOf(reported: string | null, canonical: string): string {
  const { slug, name } = providerIdentity(reported, canonical, null);
  return slug === UNKNOWN_PROVIDER ? name : slug;
}
