/** `Window.bookedCorrections`: what is booked in a window for months that were already closed (decision 29). */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Window } from '#kernel/time/window.ts';
import { statement } from '#platform/database/statement.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import type { BookedCorrection } from '../resolvers.generated.ts';

const CORRECTIONS_MAX = 1_000;

/** Only few entries have a booked time, so an index finds them in a window of any length. */
const BOOKED_CORRECTIONS = statement<
  { bookedAtMs: number; month: string; totalCost: string; entryCount: number },
  {
    readonly organizationId: OrganizationId;
    readonly start: string;
    readonly end: string;
    readonly correctionsMax: number;
  }
>(`
  select (extract(epoch from booked_time) * 1000)::float8 as booked_at_ms,
    to_char(event_time at time zone 'UTC', 'YYYY-MM') as month, trim_scale(sum(total_cost))::text as total_cost,
    count(*)::float8 as entry_count
  from cost_entry
  where organization_id = :organizationId and livemode and booked_time >= :start and booked_time < :end
  group by booked_time, month order by booked_time, month limit :correctionsMax`);

/** Returns one correction for each instant of booking and closed month. */
export async function listBookedCorrections(context: SubgraphContext, window: Window): Promise<BookedCorrection[]> {
  const organizationId = organizationOf(context);
  const { start, end } = window;
  const rows = await context.database.find(organizationId, (tx) =>
    tx.all(BOOKED_CORRECTIONS, {
      organizationId,
      start: start.iso,
      end: end.iso,
      correctionsMax: CORRECTIONS_MAX,
    }),
  );
  return rows.map(({ bookedAtMs, ...correction }) => ({ ...correction, bookedAt: new Date(bookedAtMs) }));
}
