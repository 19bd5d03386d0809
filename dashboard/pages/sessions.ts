/** `/sessions`: the person's sessions, and how to end them. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { dropSession } from '../http/cookies.ts';
import { formatDevice } from '../figures/device.ts';
import { formatInstant } from '../figures/instant.ts';
import { withSession, type SignedIn } from '../http/with-session.ts';
import { csrfField, field } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';
import { sendFramed } from '../http/send-page.ts';
import type { Dependencies } from '../http/dependencies.ts';

const SESSIONS = graphql(`query Sessions {
  sessions { id current signedInAt lastSeenAt expiresAt address userAgent }
}`);

type Session = DataOf<'Sessions'>['sessions'][number];

export function sessionsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway, isSecure } = dependencies;

  pages.get(
    '/sessions',
    withSession(dependencies, async (signedIn) => {
      const { sessions } = await askGateway(gateway, SESSIONS, {}, signedIn.principal);
      return sendFramed(signedIn, { title: 'Devices', body: page(signedIn, sessions) });
    }),
  );

  pages.post(
    '/sessions/end',
    withSession(dependencies, async ({ reply, form, principal }) => {
      const id = field(form, 'id');
      await askGateway(
        gateway,
        graphql(
          'mutation EndSession($id: ID!) { sessionEnd(input: { id: $id }) { hasEnded userErrors { message code } } }',
        ),
        { id },
        principal,
      );
      if (id !== principal.credentialId) return reply.redirect('/sessions?done=session-ended', 303);
      dropSession(reply, isSecure);
      return reply.redirect('/sign-in?done=signed-out', 303);
    }),
  );

  pages.post(
    '/sessions/end-others',
    withSession(dependencies, async ({ reply, principal }) => {
      await askGateway(
        gateway,
        graphql('mutation EndOtherSessions { otherSessionsEnd { endedSessions userErrors { message code } } }'),
        {},
        principal,
      );
      return reply.redirect('/sessions?done=others-ended', 303);
    }),
  );
}

function page({ csrf }: SignedIn, sessions: readonly Session[]): Html {
  return html`
<h1>Devices</h1>
<p class="lead">Your active sessions. Sign out any that you do not recognize.</p>
<ul class="rows">${sessions.map(
    (session) => html`
  <li class="panel row">
    <div>
      <h2>${formatDevice(session.userAgent)} ${session.current && html`<span class="badge good">this device</span>`}</h2>
      <p class="muted">Signed in from <code>${session.address}</code> on ${formatInstant(session.signedInAt)}.
        ${!session.current && html`Last seen ${formatInstant(session.lastSeenAt)}.`} Ends by ${formatInstant(session.expiresAt)}.</p>
    </div>
    <form method="post" action="/sessions/end">${csrfField(csrf)}
      <button class="secondary" name="id" value="${session.id}" aria-label="Sign out ${formatDevice(session.userAgent)} at ${session.address}">Sign out</button></form>
  </li>`,
  )}
</ul>
${sessions.length > 1 && html`<form method="post" action="/sessions/end-others">${csrfField(csrf)}<button class="danger">Sign out all other devices</button></form>`}`;
}
