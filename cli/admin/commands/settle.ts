/**
 * Waits until no event is pending and every consumer of the priced feed has caught up, in one organization or in all.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { elapsedMilliseconds } from '#platform/clock.ts';
import type { OperatorGateway } from '../../kit/operator-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import type { Command } from '../command.ts';
import { COUNT, ID } from '../../kit/flags.ts';

const DOCUMENT = graphql(`query Backlog {
  pricingBacklog { pendingEvents feedLag feedDigest }
  attributionLag { batches replaying setAside feedDigest }
}`);
const TIMEOUT_SECONDS = 60;
const LOOK_EVERY_MILLISECONDS = 100;
/**
 * Costing and attribution are queried one after the other while both keep working, so one quiet reading is not enough.
 */
const QUIET_LOOKS = 2;

export const settle: Command = {
  name: 'settle',
  summary: 'Waits until no event is pending and all figures are up to date.',
  flags: {
    organization: { form: ID, about: 'default: all organizations' },
    timeout: { form: COUNT, about: `seconds to wait; default: ${TIMEOUT_SECONDS}` },
  },
  async run(args, gateway) {
    const organizationId = args.optional('organization');
    const seconds = args.optionalCount('timeout') ?? TIMEOUT_SECONDS;
    const until = elapsedMilliseconds() + seconds * 1000;
    for (let quiet = 0; ;) {
      const { output, isSame } = await look(gateway, organizationId);
      quiet = output.pending === 0 && output.lag === 0 && output.comparing === 0 && isSame ? quiet + 1 : 0;
      if (quiet >= QUIET_LOOKS) {
        if (output.set_aside === 0) return { output };
        return { output, error: `${output.set_aside} facts could not be attributed and are excluded` };
      }
      if (elapsedMilliseconds() >= until)
        return {
          output,
          error: `Not settled after ${seconds} s: ${describe(output, isSame)}`,
        };
      await pause(LOOK_EVERY_MILLISECONDS);
    }
  },
};

interface Look {
  readonly pending: number;
  /** Batches of the feed that attribution has not applied yet. */
  readonly lag: number;
  /** Organizations whose facts are being compared with the ledger. */
  readonly comparing: number;
  readonly set_aside: number;
}

/**
 * `isSame`: attribution is at costing's position in every organization. Otherwise one of the two was restored, and
 * attribution has not noticed yet.
 */
async function look(
  gateway: OperatorGateway,
  organizationId: OrganizationId | undefined,
): Promise<{ output: Look; isSame: boolean }> {
  const { pricingBacklog, attributionLag } = await gateway.ask(DOCUMENT, {}, organizationId);
  return {
    output: {
      pending: pricingBacklog.pendingEvents,
      lag: Math.max(pricingBacklog.feedLag, attributionLag.batches),
      comparing: attributionLag.replaying,
      set_aside: attributionLag.setAside,
    },
    isSame: pricingBacklog.feedDigest === attributionLag.feedDigest,
  };
}

function describe({ pending, lag, comparing }: Look, isSame: boolean): string {
  const counts = `${pending} events pending, ${lag} batches behind, ${comparing} organizations being compared with the ledger`;
  return isSame ? counts : `${counts}; attribution has not caught up with costing`;
}
