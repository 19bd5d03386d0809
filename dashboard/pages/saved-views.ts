/**
 * `/views`: the saved views of a person and of the organization. With `path`, the page that a person came from: a link
 * to share, and a form to save it.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import type { Principal } from '#platform/principal.ts';
import type { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../figures/account-user.ts';
import { formatDate } from '../figures/instant.ts';
import { mayWriteNotes } from '../figures/note-list.ts';
import { SAVED_VIEWS_PATH } from '../figures/window-choice.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field, queryOf } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { safePath } from '../http/safe-path.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const VIEWS = graphql('query SavedViewsPage { savedViews { id name path isShared savedAt savedBy } }');
const ADD = graphql(`mutation SaveView($input: SavedViewAddInput!) {
  savedViewAdd(input: $input) { userErrors { message code } }
}`);
const DELETE = graphql(`mutation DeleteSavedView($id: ID!) {
  savedViewDelete(input: { id: $id }) { userErrors { message code } }
}`);

const NAME_MAX = 100;

type View = DataOf<'SavedViewsPage'>['savedViews'][number];

export function savedViewsPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway, appOrigin } = dependencies;

  const render = async (signedIn: SignedIn, typed = new URLSearchParams(), error?: KnownError) => {
    const { principal, request } = signedIn;
    const { savedViews } = await askGateway(gateway, VIEWS, {}, principal);
    const path = field(typed, 'path') || queryOf(request).get('path');
    const [own, shared] = [false, true].map((isShared) => savedViews.filter((view) => view.isShared === isShared));
    const body = html`
<h1>Saved views</h1>
${path === null ? html`<p class="lead">To save or share a page, choose “Share or save” next to its period.</p>` : [shareLink(appOrigin, safePath(path)), mayWriteNotes(principal) && saveForm(signedIn, safePath(path), typed)]}
${viewList(signedIn, 'For everybody', shared ?? [])}
${viewList(signedIn, 'Only for you', own ?? [])}`;
    return sendFramed(signedIn, { title: 'Saved views', ...refusalOf(error), body });
  };

  pages.get(
    SAVED_VIEWS_PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    `${SAVED_VIEWS_PATH}/add`,
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const input = {
        name: field(form, 'name'),
        path: currentPath(safePath(field(form, 'path'))),
        isShared: field(form, 'for') === 'everybody',
      };
      const { error } = await outcomeOf(askGateway(gateway, ADD, { input }, principal));
      return error ? render(signedIn, form, error) : reply.redirect(`${SAVED_VIEWS_PATH}?done=view-saved`, 303);
    }),
  );

  pages.post(
    `${SAVED_VIEWS_PATH}/:id/delete`,
    withSession(dependencies, async (signedIn): Promise<FastifyReply> => {
      const { id } = signedIn.request.params as { id: string };
      const { error } = await outcomeOf(askGateway(gateway, DELETE, { id }, signedIn.principal));
      return error
        ? render(signedIn, undefined, error)
        : signedIn.reply.redirect(`${SAVED_VIEWS_PATH}?done=view-deleted`, 303);
    }),
  );
}

/** The address with a fixed period, as passed on by the page. */
function shareLink(origin: string, path: string): Html {
  return html`
<section class="panel stack" aria-labelledby="link"><h2 id="link">Link</h2>
  <p>Shows the same period, filters and groups to everybody in the organization. They have to sign in.</p>
  <pre class="lines">${origin}${path}</pre>
  <p><a href="${path}">Open</a></p></section>`;
}

function saveForm({ csrf }: SignedIn, path: string, typed: URLSearchParams): Html {
  return html`
<form class="panel stack wide-form" method="post" action="${SAVED_VIEWS_PATH}/add">${csrfField(csrf)}<input type="hidden" name="path" value="${path}">
  <h2>Save this view</h2>
  <label>Name <input name="name" value="${field(typed, 'name')}" maxlength="${NAME_MAX}" autocomplete="off" required></label>
  <label>For <select name="for"><option value="me">Only me</option><option value="everybody"${field(typed, 'for') === 'everybody' && html` selected`}>Everybody in the organization</option></select></label>
  <p class="muted">A period such as “30 days” moves with time. Chosen dates stay fixed.</p>
  <button>Save</button></form>`;
}

function viewList({ csrf, principal }: SignedIn, title: string, views: readonly View[]): Html {
  const id = title.replaceAll(' ', '-').toLowerCase();
  return html`
<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${
  views.length === 0
    ? html`<p class="muted">None yet.</p>`
    : html`<ul class="notes">${views.map(
        (view) => html`
  <li><h3><a href="${view.path}">${view.name}</a></h3>
    <p class="muted">Saved on ${formatDate(view.savedAt)}</p>
    ${mayDelete(principal, view) && html`<form method="post" action="${SAVED_VIEWS_PATH}/${view.id}/delete">${csrfField(csrf)}<button class="secondary">Delete<span class="unseen"> ${view.name}</span></button></form>`}
  </li>`,
      )}</ul>`
}</section>`;
}

function mayDelete(principal: Principal, { savedBy }: View): boolean {
  return mayWriteNotes(principal) && (isAdmin(principal) || savedBy === principal.accountUserId);
}

/** The path without the fixed end of its period and without a notice. */
function currentPath(path: string): string {
  const [page = '', query] = path.split('?', 2);
  const parameters = new URLSearchParams(query);
  for (const name of ['at', 'done']) parameters.delete(name);
  return parameters.size === 0 ? page : `${page}?${parameters.toString()}`;
}
