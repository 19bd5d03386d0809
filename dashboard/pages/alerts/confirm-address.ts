/**
 * `/confirm-address`: the holder of an e-mail address agrees to receive alerts; the holder may have no account. A mail
 * scanner that opens the link, even with scripts, confirms nothing: only the button does.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { internalGraphql } from '#schema/graphql.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field } from '../../http/form.ts';
import { codeOf, sendLinkEntry } from '../../http/link-entry.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendPage } from '../../http/send-page.ts';
import { type Visit, withVisit } from '../../http/with-visit.ts';
import { html } from '../../shell/html.ts';
import { cardPage } from '../../shell/shell.ts';

const OPEN = internalGraphql(
  'query AddressToConfirm($token: String!) { confirmation: alertChannelConfirmation(token: $token) { address } }',
);
const CONFIRM = internalGraphql(
  'mutation ConfirmAddress($token: String!) { confirmation: confirmAlertChannel(token: $token) { address } }',
);

const PATH = '/confirm-address';
const TITLE = 'Confirm an address';

export function confirmAddressPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;
  pages.get(
    PATH,
    withVisit(dependencies, async (visit) => sendLinkEntry(visit, { path: PATH, title: TITLE })),
  );
  pages.post(
    `${PATH}/open`,
    withVisit(dependencies, async (visit) => {
      const token = codeOf(field(visit.form, 'token'));
      const { confirmation } = await askGateway(gateway, OPEN, { token }, visit.principal);
      if (confirmation === null) return sendDead(visit);
      const body = html`
<h1>${TITLE}</h1>
<p>Someone asked to send alerts about AI costs to <strong>${confirmation.address}</strong>. Nothing is sent unless you agree.</p>
<form method="post" action="${PATH}" class="stack">
  ${csrfField(visit.csrf)}<input type="hidden" name="token" value="${token}">
  <button>Confirm</button>
</form>`;
      return sendPage(visit.reply, cardPage({ title: TITLE, body }));
    }),
  );
  pages.post(
    PATH,
    withVisit(dependencies, async (visit) => {
      const token = field(visit.form, 'token');
      const { value, error } = await outcomeOf(askGateway(gateway, CONFIRM, { token }, visit.principal));
      if (error?.code === 'NOT_FOUND') return sendDead(visit);
      if (error) throw error;
      const title = 'The address is confirmed';
      const body = html`<h1>${title}</h1><p>Alerts are sent to <strong>${value?.confirmation.address}</strong> from now on.</p>`;
      return sendPage(visit.reply, cardPage({ title, body }));
    }),
  );
}

function sendDead({ reply }: Visit): FastifyReply {
  const title = 'This link does not work';
  const body = html`
<h1>${title}</h1>
<p role="alert">It was already used, has expired, or was replaced by a newer one.</p>
<p class="muted">Ask the person who set up the alerts to send a new one.</p>`;
  return sendPage(reply, cardPage({ title, body }), 404);
}
