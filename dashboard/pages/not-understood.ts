/**
 * `/books/not-understood`: input that was not understood, with frequency, first occurrence and an example of each; and
 * the policy for contexts without a price.
 */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../figures/account-user.ts';
import { formatCount } from '../figures/amount.ts';
import { booksHeading } from '../figures/books-tabs.ts';
import { formatInstant } from '../figures/instant.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field } from '../http/form.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { cachedTokensSection } from './cached-tokens.ts';
import { type Content, html, type Html } from '../shell/html.ts';

const NOT_UNDERSTOOD = graphql(`query NotUnderstoodPage {
  costingHealth {
    guessedSince
    unknownFields { name meant events firstSeenAt lastSeenAt exampleEventId }
    unpriced { cause provider model reason events firstAt lastAt exampleEventId }
    guessed { provider model events firstAt lastAt exampleEventId }
    atBase { provider model unknownContext events firstAt lastAt exampleEventId }
  }
  contextPolicy { unknownContext changedAt }
}`);
const CHOOSE = graphql(`mutation ChooseContextPolicy($unknownContext: UnknownContextChoice!) {
  contextPolicySet(input: { unknownContext: $unknownContext }) { requeuedEvents userErrors { message code } }
}`);

type Health = DataOf<'NotUnderstoodPage'>['costingHealth'];
type Policy = DataOf<'NotUnderstoodPage'>['contextPolicy'];

export function notUnderstoodPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/books/not-understood',
    withSession(dependencies, async (signedIn) => {
      const { costingHealth: health, contextPolicy } = await askGateway(
        gateway,
        NOT_UNDERSTOOD,
        {},
        signedIn.principal,
      );
      const { unknownFields, unpriced, guessed, atBase } = health;
      const isEmpty = [unknownFields, unpriced, guessed, atBase].every(({ length }) => length === 0);
      const body = html`
${booksHeading(signedIn.principal, 'Not understood', '/books/not-understood')}
<p class="lead">Events are accepted even if they cannot be priced. This page lists what could not be interpreted: events without a cost, estimated costs and ignored fields.</p>
${isEmpty ? html`<p class="panel empty">All events were understood.</p>` : tables(health)}
${await cachedTokensSection(gateway, signedIn)}
${policyForm(signedIn, contextPolicy)}`;
      return sendFramed(signedIn, { title: 'Not understood', body });
    }),
  );

  pages.post(
    '/books/not-understood/contexts',
    withSession(dependencies, async (signedIn) => {
      const unknownContext = field(signedIn.form, 'unknownContext');
      if (unknownContext !== 'BASE' && unknownContext !== 'WAIT')
        return fail('VALIDATION_ERROR', 'Choose whether such calls wait');
      await askGateway(gateway, CHOOSE, { unknownContext }, signedIn.principal);
      const done = unknownContext === 'BASE' ? 'contexts-at-base' : 'contexts-wait';
      return signedIn.reply.redirect(`/books/not-understood?done=${done}`, 303);
    }),
  );
}

/** Owners and admins choose the policy; others only see it. */
function policyForm({ csrf, principal }: SignedIn, { unknownContext, changedAt }: Policy): Html {
  const isAtBase = unknownContext === 'BASE';
  const mayChoose = isAdmin(principal);
  return html`
<section class="panel stack" aria-labelledby="contexts"><h2 id="contexts">Calls whose rate card has no price for their tier, speed or region</h2>
  <p>${isAtBase ? 'They are priced without the part that has no price, for example a flex call at the standard rate. Each one is flagged.' : 'They wait for a rate for their tier, speed or region.'}
    ${changedAt !== null && html`<span class="muted">Chosen ${formatInstant(changedAt)}.</span>`}</p>
  ${
    mayChoose &&
    html`<form class="stack" method="post" action="/books/not-understood/contexts">${csrfField(csrf)}
    <input type="hidden" name="unknownContext" value="${isAtBase ? 'WAIT' : 'BASE'}">
    <p class="muted">${isAtBase ? 'You can let such calls wait again. Costs that are already booked do not change.' : 'You can have them priced without the part that has no price, including those that wait now. If you add the missing price later, reprice them to correct their cost.'}</p>
    <button class="secondary">${isAtBase ? 'Let these calls wait' : 'Price these calls without it'}</button></form>`
  }
</section>`;
}

const CAUSES: Readonly<Record<Health['unpriced'][number]['cause'], string>> = {
  UNKNOWN_PROVIDER: 'unknown provider',
  UNKNOWN_MODEL: 'unknown model',
  UNKNOWN_CONTEXT: 'unknown context',
  OTHER_MODELS: 'work by other models',
  MISSING_RATE_OR_UNIT: 'no rate or unit',
  FAILED: 'failed',
};

function tables({ unknownFields, unpriced, guessed, atBase, guessedSince }: Health): Html {
  return html`
${table(
  'Events without a cost',
  'They are priced once a rate card, an alias or a rate for their context exists.',
  ['Model', 'Why'],
  unpriced.map(({ model, provider, cause, reason, ...group }) => [
    html`${model} <br><span class="muted">${provider ?? 'no provider'}</span>`,
    html`<span class="badge bad">${CAUSES[cause]}</span> ${reason}`,
    group,
  ]),
)}
${table(
  'Estimated costs',
  html`Since ${formatInstant(guessedSince)}. Their token counts can be read in more than one way, or part of their price is not known: the page of each event says why. If it is about cached tokens, send the provider’s usage object, or <code>total_tokens</code>.`,
  ['Model', 'Provider'],
  guessed.map(({ model, provider, ...group }) => [model, provider, group]),
)}
${table(
  'Costs without a price for part of their context',
  html`Since ${formatInstant(guessedSince)}. Their rate card has no price for the tier, speed or region of the call, and you chose to ignore it. Set a rate for it and reprice to make them exact.`,
  ['Model', 'Ignored'],
  atBase.map(({ model, provider, unknownContext, ...group }) => [
    html`${model} <br><span class="muted">${provider}</span>`,
    unknownContext,
    group,
  ]),
)}
${table(
  'Ignored fields',
  'Usually misspelled names. The response to each event lists them too.',
  ['Field', 'Did you mean'],
  unknownFields.map(({ name, meant, firstSeenAt, lastSeenAt, ...group }) => [
    name,
    meant ?? '–',
    { ...group, firstAt: firstSeenAt, lastAt: lastSeenAt },
  ]),
)}`;
}

interface Group {
  readonly events: number;
  readonly firstAt: string;
  readonly lastAt: string;
  readonly exampleEventId: string | null;
}

function table(
  title: string,
  lead: Content,
  [first, second]: readonly [string, string],
  rows: readonly (readonly [Content, Content, Group])[],
): Html | false {
  if (rows.length === 0) return false;
  const id = title.toLowerCase().replaceAll(' ', '-');
  return html`
<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><p class="muted">${lead}</p>
  <div class="scroll" tabindex="0" role="group" aria-labelledby="${id}"><table class="fold">
    <thead><tr><th scope="col">${first}</th><th scope="col">${second}</th><th scope="col" class="number">Events</th><th scope="col">First</th><th scope="col">Last</th><th scope="col">Example</th></tr></thead>
    <tbody>${rows.map(
      ([name, what, { events, firstAt, lastAt, exampleEventId }]) => html`
      <tr><th scope="row" class="name">${name}</th><td>${what}</td><td class="number" data-label="Events">${events === 0 ? '–' : formatCount(events)}</td>
        <td data-label="First">${formatInstant(firstAt)}</td><td data-label="Last">${formatInstant(lastAt)}</td><td class="id" data-label="Example">${exampleEventId === null ? '–' : html`<a href="/events/${exampleEventId}">${exampleEventId}</a>`}</td></tr>`,
    )}
    </tbody>
  </table></div>
</section>`;
}
