/** Returns the address that a confirmation link confirms, for the page that it opens. Changes nothing. */
import { now } from '#platform/clock.ts';
import type { SubgraphContext } from '#platform/subgraph/context.ts';
import type { AlertChannelConfirmation } from '../resolvers.generated.ts';
import { findByConfirmation } from './alert-channel.table.ts';
import { hashOfCode } from './confirmation-code.ts';

/** Null if the link is invalid. */
export async function getChannelConfirmation(
  { database }: SubgraphContext,
  code: string,
): Promise<AlertChannelConfirmation | null> {
  const hash = hashOfCode(code);
  const found = hash === null ? null : await database.system((tx) => findByConfirmation(tx, { hash, at: now() }));
  return found === null ? null : { address: found.target };
}
