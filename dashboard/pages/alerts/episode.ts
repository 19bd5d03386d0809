/** `/alerts/episodes/{id}`: one episode with its evidence, its acknowledgement and its comments. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { withUnbrokenAmounts } from '../../figures/amount.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { formatInstant } from '../../figures/instant.ts';
import { addNote, authorsOf, deleteNote, mayWriteNotes, noteList, noteTextField } from '../../figures/note-list.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, field } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { alertsHeading } from './alerts-heading.ts';
import { CLOSED_REASONS, episodeBadges, formatEvidence } from './episode-words.ts';
import { KINDS } from './rule-words.ts';

const EPISODE = graphql(`query AlertEpisodePage($id: ID!) {
  alertEpisode(id: $id) {
    id kind state ruleId groupName severity level openedAt closedAt closedReason acknowledgedAt
    sentence figures { name value unit } windowStart windowEnd computedAt query { document variables } path
    rule { name isMuted }
    notes { id day text writtenAt writtenBy }
  }
}`);
const ACKNOWLEDGE = graphql(`mutation AcknowledgeAlertEpisode($id: ID!) {
  outcome: alertEpisodeAcknowledge(input: { id: $id }) { userErrors { message } }
}`);

type Episode = NonNullable<DataOf<'AlertEpisodePage'>['alertEpisode']>;

export function alertEpisodePages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: string): Promise<FastifyReply> => {
    const [{ alertEpisode }, authors] = await Promise.all([
      askGateway(gateway, EPISODE, { id: idOf(signedIn) }, signedIn.principal),
      authorsOf(dependencies, signedIn.principal),
    ]);
    const episode = alertEpisode ?? fail('NOT_FOUND', 'This alert does not exist.');
    const title = `${episode.rule?.name ?? KINDS[episode.kind].label}${episode.groupName === null ? '' : `: ${episode.groupName}`}`;
    const body = html`${alertsHeading(signedIn.principal, title, null)}${episodeBody(signedIn, episode)}${comments(signedIn, episode, authors)}`;
    return sendFramed(signedIn, { title, body, error });
  };

  pages.get(
    '/alerts/episodes/:id',
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );
  pages.post(
    '/alerts/episodes/:id/acknowledge',
    withSession(dependencies, async (signedIn) => {
      const id = idOf(signedIn);
      const { value, error } = await outcomeOf(askGateway(gateway, ACKNOWLEDGE, { id }, signedIn.principal));
      const wrong = error?.message ?? value?.outcome.userErrors[0]?.message;
      return wrong === undefined
        ? signedIn.reply.redirect(`/alerts/episodes/${id}?done=alert-acknowledged`, 303)
        : render(signedIn, wrong);
    }),
  );
  pages.post(
    '/alerts/episodes/:id/comments',
    withSession(dependencies, async (signedIn) => {
      const id = idOf(signedIn);
      const input = { episodeId: id, text: field(signedIn.form, 'text') };
      const error = await addNote(dependencies, signedIn.principal, input);
      return error
        ? render(signedIn, error.message)
        : signedIn.reply.redirect(`/alerts/episodes/${id}?done=comment-added`, 303);
    }),
  );
  pages.post(
    '/alerts/episodes/:id/comments/:note/delete',
    withSession(dependencies, async (signedIn) => {
      const id = idOf(signedIn);
      const { note } = signedIn.request.params as { note: string };
      const error = await deleteNote(dependencies, signedIn.principal, note);
      return error
        ? render(signedIn, error.message)
        : signedIn.reply.redirect(`/alerts/episodes/${id}?done=comment-deleted`, 303);
    }),
  );
}

function idOf({ request }: SignedIn): string {
  return (request.params as { id: string }).id;
}

/** `margin_percent` → `Margin %`. */
function evidenceName(name: string): string {
  const words = name.replaceAll('_', ' ').replace(/ percent$/, ' %');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function episodeBody({ csrf, principal }: SignedIn, episode: Episode): Html {
  const { id, rule, ruleId, severity, openedAt, closedAt, closedReason, acknowledgedAt, sentence, figures } = episode;
  const { windowStart, windowEnd, computedAt, query, path } = episode;
  const mayManage = isAdmin(principal);
  const isOpen = closedAt === null;
  return html`
<p>${episodeBadges({ severity, acknowledgedAt, isMuted: rule?.isMuted ?? false, isOpen })}</p>
<section class="panel" aria-labelledby="found"><h2 id="found">${withUnbrokenAmounts(sentence)}</h2>
  <dl class="sheet">${figures.map((figure) => html`<div><dt>${evidenceName(figure.name)}</dt><dd><data value="${figure.value ?? ''}">${formatEvidence(figure)}</data></dd></div>`)}</dl>
  <p><a class="button" href="${path}">View figures</a></p>
  <p class="muted">${formatInstant(windowStart)} to ${formatInstant(windowEnd)}, as of ${formatInstant(computedAt)}.</p>
  <details><summary>GraphQL query</summary><pre class="lines" tabindex="0">${query.document}</pre><pre class="lines" tabindex="0">${JSON.stringify(query.variables, null, 2)}</pre></details>
</section>
<dl class="panel facts">
  <div><dt>Rule</dt><dd>${rule === null ? html`<span class="muted">deleted</span>` : html`<a href="/alerts/rules/${ruleId}">${rule.name}</a>`}</dd></div>
  <div><dt>Since</dt><dd>${formatInstant(openedAt)}</dd></div>
  ${closedAt !== null && html`<div><dt>Until</dt><dd>${formatInstant(closedAt)}${closedReason !== null && html`: ${CLOSED_REASONS[closedReason]}`}</dd></div>`}
  <div><dt>Acknowledged</dt><dd>${acknowledgedAt === null ? 'not yet' : html`since ${formatInstant(acknowledgedAt)}`}</dd></div>
  ${mayManage && html`<div><dt>Sent</dt><dd><a href="/alerts/deliveries?episode=${id}">Deliveries of this alert</a></dd></div>`}
</dl>
${
  mayManage &&
  isOpen &&
  acknowledgedAt === null &&
  html`<form class="panel stack wide-form" method="post" action="/alerts/episodes/${id}/acknowledge">${csrfField(csrf)}
  <h2>Acknowledge</h2><p>Shows others that you are working on it. It closes automatically when the figures are back to normal.</p><button>Acknowledge</button></form>`
}`;
}

function comments(signedIn: SignedIn, { id, notes }: Episode, authors: ReadonlyMap<string, string>): Html | false {
  const { csrf, form, principal } = signedIn;
  const mayWrite = mayWriteNotes(principal);
  if (notes.length === 0 && !mayWrite) return false;
  const path = `/alerts/episodes/${id}/comments`;
  return html`
<section class="panel" aria-labelledby="comments"><h2 id="comments">Comments</h2>
${notes.length > 0 && noteList(signedIn, notes, authors, path)}
${mayWrite && html`<form class="stack wide-form" method="post" action="${path}">${csrfField(csrf)}${noteTextField('Add a comment', field(form, 'text'))}<button class="secondary">Add</button></form>`}
</section>`;
}
