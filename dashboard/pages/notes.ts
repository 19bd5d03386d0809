/** `/notes`: notes on the days of a period, which charts mark, with a form to add one. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { now } from '#platform/clock.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import type { KnownError } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
import { addNote, authorsOf, deleteNote, mayWriteNotes, noteList, noteTextField } from '../figures/note-list.ts';
import { dateField, windowChoice, windowLinks } from '../figures/window-choice.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field, queryOf } from '../http/form.ts';
import { periodQuery } from '../http/period-query.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const NOTES = graphql(`query NotesPage($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) { notes(first: 200) { id day text writtenAt writtenBy } }
}`);

const PATH = '/notes';
const ADD_PATH = '/notes/add';

export function notesPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, typed = new URLSearchParams(), error?: KnownError) => {
    const { principal, request } = signedIn;
    const window = windowChoice(periodQuery(dependencies, signedIn), now());
    const { start, end } = window;
    const [
      {
        window: { notes },
      },
      authors,
    ] = await Promise.all([askGateway(gateway, NOTES, { start, end }, principal), authorsOf(dependencies, principal)]);
    const body = html`
<p class="crumbs"><a href="/costs">Costs</a></p>
<div class="heading"><h1>Notes</h1>
  ${windowLinks(window, PATH)}
</div>
<p class="lead">What happened on a day: a launch, an incident, a changed prompt. Charts mark the day.</p>
${notes.length === 0 ? html`<p class="panel empty">No notes in this period.</p>` : html`<section class="panel" aria-label="Notes">${noteList(signedIn, notes, authors, PATH)}</section>`}
${mayWriteNotes(principal) && noteForm(signedIn, typed, queryOf(request).get('day'))}`;
    return sendFramed(signedIn, { title: 'Notes', ...refusalOf(error), body });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    ADD_PATH,
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const input = { day: field(form, 'day'), text: field(form, 'text') };
      const error = await addNote(dependencies, principal, input);
      return error ? render(signedIn, form, error) : reply.redirect(`${PATH}?done=note-added`, 303);
    }),
  );

  pages.post(
    `${PATH}/:id/delete`,
    withSession(dependencies, async (signedIn): Promise<FastifyReply> => {
      const { id } = signedIn.request.params as { id: string };
      const error = await deleteNote(dependencies, signedIn.principal, id);
      return error ? render(signedIn, undefined, error) : signedIn.reply.redirect(`${PATH}?done=note-deleted`, 303);
    }),
  );
}

function noteForm({ csrf }: SignedIn, typed: URLSearchParams, day: string | null): Html {
  const chosen = field(typed, 'day') || (day ?? now().toISOString().slice(0, 10));
  return html`
<form class="panel stack wide-form" method="post" action="${ADD_PATH}">${csrfField(csrf)}
  <h2>Add a note</h2>
  ${dateField('day', html`Day <span class="muted">(UTC)</span>`, chosen, { isRequired: true })}
  ${noteTextField('Note', field(typed, 'text'))}
  <button>Add</button></form>`;
}
