/** GraphQL view of a hold. */
import { enumValue } from '#kernel/enum-value.ts';
import type { Hold } from '../resolvers.generated.ts';
import type { HoldRow } from './hold-page.query.ts';

export function toHoldView({ state, because, openedAt, expiresAt, closedAt, ...hold }: HoldRow): Hold {
  return {
    ...hold,
    state: enumValue(state),
    because: enumValue(because),
    openedAt: new Date(openedAt),
    expiresAt: new Date(expiresAt),
    closedAt: closedAt === null ? null : new Date(closedAt),
  };
}
