/**
 * `/sign-in/invitation` and `/sign-in/new-password`: actions of the holder of a link. The code is in the link's
 * fragment, so that no server or proxy logs it. A script submits it in a form; without scripts, people paste it there.
 * Opening the link changes nothing; setting a password uses it up.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { ERROR_TABLE, type KnownError } from '#kernel/errors.ts';
import { type GraphqlDocument, internalGraphql } from '#schema/graphql.ts';
import { withVisit, type Visit } from '../http/with-visit.ts';
import { csrfField, field, rawField } from '../http/form.ts';
import { codeOf, sendLinkEntry } from '../http/link-entry.ts';
import { html, type Html } from '../shell/html.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendPage } from '../http/send-page.ts';
import { cardPage } from '../shell/shell.ts';
import type { Dependencies } from '../http/dependencies.ts';

interface Offer {
  readonly email: string;
  readonly organizationName?: string;
  readonly role?: string;
}

interface LinkKind {
  readonly path: string;
  readonly title: string;
  readonly look: GraphqlDocument<{ readonly offer: Offer | null }, { token: string }>;
  readonly use: GraphqlDocument<unknown, { token: string; password: string; address: string }>;
  readonly done: string;
  readonly lead: (offer: Offer) => Html;
  readonly button: string;
}

const KINDS: readonly LinkKind[] = [
  {
    path: '/sign-in/invitation',
    title: 'Join the organization',
    look: internalGraphql(
      'query InvitationOffer($token: String!) { offer: invitation(token: $token) { email organizationName role } }',
    ),
    use: internalGraphql(`mutation AcceptInvitation($token: String!, $password: String!, $address: String!) {
      acceptInvitation(token: $token, password: $password, address: $address) { userId }
    }`),
    done: 'account-made',
    lead: ({ email, organizationName = '', role = '' }) =>
      html`You are invited to <strong>${organizationName}</strong> as ${role}. Choose a password for <strong>${email}</strong>.`,
    button: 'Join',
  },
  {
    path: '/sign-in/new-password',
    title: 'Choose a new password',
    look: internalGraphql(
      'query PasswordResetOffer($token: String!) { offer: passwordReset(token: $token) { email } }',
    ),
    use: internalGraphql(`mutation CompletePasswordReset($token: String!, $password: String!, $address: String!) {
      completePasswordReset(token: $token, password: $password, address: $address)
    }`),
    done: 'password-reset',
    lead: ({ email }) => html`Choose a new password for <strong>${email}</strong>. All devices will be signed out.`,
    button: 'Change password',
  },
];

export function oneTimeLinkPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;
  for (const kind of KINDS) {
    const render = async (
      visit: Visit,
      token: string,
      error: Pick<KnownError, 'code' | 'message'> | null,
    ): Promise<FastifyReply> => {
      const { offer } = await askGateway(gateway, kind.look, { token }, visit.principal);
      return offer
        ? sendPage(
            visit.reply,
            cardPage({ title: kind.title, error: error?.message, body: formBody(visit, kind, offer, token) }),
            error ? ERROR_TABLE[error.code].status : 200,
          )
        : sendPage(visit.reply, cardPage({ title: 'This link does not work', body: DEAD }), 404);
    };

    pages.get(
      kind.path,
      withVisit(dependencies, async (visit) => sendLinkEntry(visit, kind)),
    );

    pages.post(
      `${kind.path}/open`,
      withVisit(dependencies, async (visit) => render(visit, codeOf(field(visit.form, 'token')), null)),
    );

    pages.post(
      kind.path,
      withVisit(dependencies, async (visit) => {
        const {
          form,
          principal,
          device: { address },
        } = visit;
        const token = field(form, 'token');
        const [password, repeated] = [rawField(form, 'password'), rawField(form, 'repeated')];
        if (password !== repeated)
          return render(visit, token, { code: 'VALIDATION_ERROR', message: 'The passwords do not match' });
        const { error } = await outcomeOf(askGateway(gateway, kind.use, { token, password, address }, principal));
        return error ? render(visit, token, error) : visit.reply.redirect(`/sign-in?done=${kind.done}&again=yes`, 303);
      }),
    );
  }
}

const DEAD = html`
<h1>This link does not work</h1>
<p role="alert">It was already used, has expired, or was revoked.</p>
<p class="muted">Ask the person who sent it for a new one. <a href="/sign-in">Go to the sign-in</a></p>`;

function formBody({ csrf }: Visit, { path, title, lead, button }: LinkKind, offer: Offer, token: string): Html {
  return html`
<h1>${title}</h1>
<p>${lead(offer)}</p>
<form method="post" action="${path}" class="stack">
  ${csrfField(csrf)}<input type="hidden" name="token" value="${token}">
  <input type="hidden" name="username" value="${offer.email}" autocomplete="username">
  <label>Password <input type="password" name="password" autocomplete="new-password" minlength="8" required autofocus></label>
  <label>Confirm password <input type="password" name="repeated" autocomplete="new-password" minlength="8" required></label>
  <button>${button}</button>
</form>`;
}
