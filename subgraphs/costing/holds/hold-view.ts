/** GraphQL view of a hold. */
import { enumValue } from '#kernel/enum-value.ts';
import type { Hold } from '../resolvers.generated.ts';
import type { HoldRow } from './hold-page.query.ts';

export function toHoldView({ endUser, state, because, openedAt, expiresAt, closedAt, ...hold }: HoldRow): Hold {
  return {
    ...hold,
    endUser: endUser === null ? null : ({ externalId: endUser } as Hold['endUser']),
    state: enumValue(state),
    because: enumValue(because),
    openedAt: new Date(openedAt),
    expiresAt: new Date(expiresAt),
    closedAt: closedAt === null ? null : new Date(closedAt),
  };
}
