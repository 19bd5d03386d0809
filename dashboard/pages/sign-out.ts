/** `POST /sign-out`. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { graphql } from '#schema/graphql.ts';
import { dropSession } from '../http/cookies.ts';
import { withSession } from '../http/with-session.ts';
import type { Dependencies } from '../http/dependencies.ts';

export function signOutPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.post(
    '/sign-out',
    withSession(dependencies, async ({ reply, principal }) => {
      await askGateway(
        dependencies.gateway,
        graphql('mutation SignOut { currentSessionEnd { hasEnded userErrors { message code } } }'),
        {},
        principal,
      );
      dropSession(reply, dependencies.isSecure);
      return reply.redirect('/sign-in?done=signed-out', 303);
    }),
  );
}
