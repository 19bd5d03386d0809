/** Requires the caller's own password for actions that a stolen session must not perform (decision 35). */
import { fail } from '#kernel/errors.ts';
import { internalGraphql } from '#schema/graphql.ts';
import { askGateway } from '../ask-gateway.ts';
import type { GatewayClient } from '../gateway-client.ts';
import type { SubgraphContext } from './context.ts';

const CONFIRM = internalGraphql(
  'mutation ConfirmOwnPassword($ownPassword: String!) { confirmOwnPassword(ownPassword: $ownPassword) }',
);

interface OwnPasswordArgument {
  readonly ownPassword?: string | null | undefined;
}

/**
 * Wraps a resolver so that its argument `ownPassword` is checked by identity first, outside any transaction. Operator
 * tokens have no password. Fails with `FORBIDDEN` and `actionHint: TYPE_OWN_PASSWORD` if it is missing,
 * `VALIDATION_ERROR` if it is wrong, and `RATE_LIMIT_EXCEEDED` after several wrong ones.
 */
export function ownPasswordGuard(gateway: GatewayClient) {
  return <Source, Arguments extends OwnPasswordArgument, Result>(
    resolve: (source: Source, args: Arguments, context: SubgraphContext) => Promise<Result>,
  ) =>
    async (source: Source, args: Arguments, context: SubgraphContext): Promise<Result> => {
      const { principal } = context;
      if (principal.kind === 'session') {
        const { ownPassword } = args;
        if (ownPassword === undefined || ownPassword === null)
          fail('FORBIDDEN', 'Enter your own password to do this', {
            actionHint: 'TYPE_OWN_PASSWORD',
          });
        await askGateway(gateway, CONFIRM, { ownPassword }, principal);
      }
      return resolve(source, args, context);
    };
}
