/** One outcome with its versions, and the attempts of its task. */
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import { organizationOf } from '#platform/subgraph/organization-of.ts';
import { requireInstant } from '#kernel/time/instant.ts';
import { fail } from '#kernel/errors.ts';
import { ATTEMPTS_SHOWN_MAX } from '../config.ts';
import { readOutcomeCosts } from './outcome-rows.query.ts';
import { type OutcomeAttemptView, outcomeView } from './outcome-view.ts';
import { readAttempts, readVersions } from './stated-outcomes.query.ts';

const VERSIONS_SHOWN_MAX = 100;

interface OutcomeView extends OutcomeAttemptView {
  readonly versions: (Omit<OutcomeAttemptView, 'cost' | 'eventCount' | 'sessions'> & { readonly recordedAt: string })[];
  readonly attempts: OutcomeAttemptView[];
  readonly taskCost: bigint;
}

/** Costs are as of now, even with `asOf`. Fails with `NOT_FOUND` if the key is unknown, or was at that instant. */
export function getOutcome(
  context: SubgraphContext,
  {
    key,
    livemode,
    asOf,
  }: { readonly key: string; readonly livemode: boolean; readonly asOf?: string | null | undefined },
): Promise<OutcomeView> {
  const organizationId = organizationOf(context);
  const until = asOf == null ? null : requireInstant('asOf', asOf).iso;
  return context.database.snapshot(organizationId, async (tx) => {
    const versions = await readVersions(tx, {
      organizationId,
      livemode,
      key,
      asOf: until,
      limit: VERSIONS_SHOWN_MAX,
    });
    const [own = fail('NOT_FOUND', 'Unknown outcome')] = versions;
    const isAlone = !livemode || (own.task === null && own.session === null);
    const found = isAlone ? [] : await readAttempts(tx, organizationId, own, ATTEMPTS_SHOWN_MAX);
    const keys = isAlone ? [] : [...new Set([key, ...found.map((attempt) => attempt.key)])];
    const costs = await readOutcomeCosts(tx, organizationId, keys);
    const ofOwn = outcomeView(own, costs.get(key));
    const attempts = found.length === 0 ? [ofOwn] : found.map((row) => outcomeView(row, costs.get(row.key)));
    return {
      ...ofOwn,
      versions: versions.map((version) => ({ ...outcomeView(version, undefined), recordedAt: version.recordedAt })),
      attempts,
      taskCost: attempts.reduce((sum, { cost }) => sum + cost, 0n),
    };
  });
}
