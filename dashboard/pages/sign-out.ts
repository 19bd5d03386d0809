/** `POST /sign-out`. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '../../platform/ask-gateway.ts';
import { graphql } from '../../schema/graphql.ts';
import { dropSession } from '../cookies.ts';
import { forPeople } from '../for-people.ts';
import type { Surroundings } from '../surroundings.ts';

export function signOutPage(pages: FastifyInstance, surroundings: Surroundings): void {
  pages.post('/sign-out', forPeople(surroundings, async ({ reply, principal }) => {
    await askGateway(surroundings.gateway, graphql('mutation SignOut { signOut }'), {}, principal);
    dropSession(reply, surroundings.isSecure);
    return reply.redirect('/sign-in?done=signed-out', 303);
  }));
}
