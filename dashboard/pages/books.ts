/** `/books`: verification of the books, differences with their remedies, and long operations. For owners and admins. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import { daysLater } from '#kernel/time/duration.ts';
import type { KnownError } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
import { type Books, checkList, needsRebuild } from '../figures/book-checks.ts';
import { booksHeading } from '../figures/books-tabs.ts';
import { formatInstant } from '../figures/instant.ts';
import { listLongOperations, operationList } from '../figures/long-operation.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const BOOKS = graphql(`query BooksPage($start: Instant!, $end: Instant!) {
  books { state verifiedAt roundAt differingSince differences { day what detail since } }
  window(start: $start, end: $end) { warnings { type message } }
}`);
const REBUILD = graphql(
  'mutation RebuildBreakdowns { rebuildStart(input: {}) { operation { id } userErrors { message code } } }',
);
const VERIFY = graphql('mutation VerifyBooks { verificationStart { operation { id } userErrors { message code } } }');
const CANCEL_COSTING = graphql(
  'mutation CancelOfCosting($id: ID!) { costingOperationCancel(input: { id: $id }) { operation { id } userErrors { message code } } }',
);
const CANCEL_ATTRIBUTION = graphql(
  'mutation CancelOfAttribution($id: ID!) { attributionOperationCancel(input: { id: $id }) { operation { id } userErrors { message code } } }',
);
const RESUME_COSTING = graphql(
  'mutation ResumeOfCosting($id: ID!) { costingOperationResume(input: { id: $id }) { operation { id } userErrors { message code } } }',
);
const RESUME_ATTRIBUTION = graphql(
  'mutation ResumeOfAttribution($id: ID!) { attributionOperationResume(input: { id: $id }) { operation { id } userErrors { message code } } }',
);

const ACTIONS = [
  { action: 'cancel', costing: CANCEL_COSTING, attribution: CANCEL_ATTRIBUTION, done: 'operation-cancelled' },
  { action: 'resume', costing: RESUME_COSTING, attribution: RESUME_ATTRIBUTION, done: 'operation-resumed' },
] as const;

const OPERATIONS_MAX = 12;

export function booksPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { principal } = signedIn;
    const end = now();
    // Warnings do not depend on the window, so any window will do.
    const window = { start: daysLater(end, -1).toISOString(), end: end.toISOString() };
    const [{ books, window: figures }, operations] = await Promise.all([
      askGateway(gateway, BOOKS, window, principal),
      listLongOperations(gateway, principal, OPERATIONS_MAX),
    ]);
    const body = html`
${booksHeading(signedIn.principal, 'Books', '/books')}
<p class="lead">All stored costs are compared with the ledger: each day shortly after it changes, and all days once a day.</p>
${stateOf(books)}
${figures.warnings.length > 0 && html`<section class="panel warnings" aria-labelledby="warnings"><h2 id="warnings">Needs attention</h2><ul>${figures.warnings.map(({ message }) => html`<li>${message}</li>`)}</ul></section>`}
${checkList(books)}
${(needsRebuild(books) || figures.warnings.some(({ type }) => type === 'facts_set_aside')) && rebuildForm(signedIn)}
<form method="post" action="/books/verify">${csrfField(signedIn.csrf)}<button class="secondary">Verify everything now</button></form>
<section aria-labelledby="operations" class="stack"><div class="heading"><h2 id="operations">Background jobs</h2>${operations.some(({ state }) => state === 'RUNNING') && html`<a href="/books#operations">Refresh</a>`}</div>
${operationList(signedIn, operations)}</section>`;
    return sendFramed(signedIn, {
      title: 'Books',
      ...refusalOf(error),
      body,
    });
  };

  pages.get(
    '/books',
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    '/books/verify',
    withSession(dependencies, async (signedIn) => {
      const { error } = await outcomeOf(askGateway(gateway, VERIFY, {}, signedIn.principal));
      return error ? render(signedIn, error) : signedIn.reply.redirect('/books?done=verification-begun', 303);
    }),
  );

  pages.post(
    '/books/rebuild',
    withSession(dependencies, async (signedIn) => {
      const { error } = await outcomeOf(askGateway(gateway, REBUILD, {}, signedIn.principal));
      return error ? render(signedIn, error) : signedIn.reply.redirect('/books?done=rebuild-begun', 303);
    }),
  );

  for (const { action, costing, attribution, done } of ACTIONS) {
    pages.post(
      `/books/operations/${action}`,
      withSession(dependencies, async (signedIn) => {
        const document = field(signedIn.form, 'subgraph') === 'costing' ? costing : attribution;
        const id = field(signedIn.form, 'id');
        const { error } = await outcomeOf(
          askGateway<object, { id: string }>(gateway, document, { id }, signedIn.principal),
        );
        return error ? render(signedIn, error) : signedIn.reply.redirect(`/books?done=${done}`, 303);
      }),
    );
  }
}

const STATES = {
  CLEAN: { tone: 'good', label: 'verified', sentence: 'No differences.' },
  DIFFERING: { tone: 'bad', label: 'differences found', sentence: 'There are differences: see below for what to do.' },
  UNVERIFIED: {
    tone: '',
    label: 'not verified yet',
    sentence: 'Not verified yet.',
  },
} as const;

function stateOf({ state, verifiedAt, roundAt, differingSince }: Books): Html {
  const { tone, label, sentence } = STATES[state];
  return html`
<dl class="panel facts">
  <div><dt>Books</dt><dd><span class="badge ${tone}">${label}</span> ${sentence}</dd></div>
  <div><dt>Last verified</dt><dd>${verifiedAt === null ? 'never' : formatInstant(verifiedAt)}</dd></div>
  <div><dt>Last full verification</dt><dd>${roundAt === null ? 'not yet' : formatInstant(roundAt)}</dd></div>
  ${differingSince !== null && html`<div><dt>Differences since</dt><dd>${formatInstant(differingSince)}</dd></div>`}
</dl>`;
}

function rebuildForm({ csrf, principal }: SignedIn): Html {
  if (!principal.grants.includes('owner'))
    return html`<p class="panel">Owners can rebuild the breakdowns from the ledger.</p>`;
  return html`
<form class="panel stack wide-form" method="post" action="/books/rebuild">${csrfField(csrf)}
  <h2>Rebuild the breakdowns</h2>
  <p>Compares every cost with the ledger, adds what is missing, retries excluded costs and recomputes all totals. Figures stay available. Verify everything afterwards.</p>
  <button>Rebuild from the ledger</button></form>`;
}
