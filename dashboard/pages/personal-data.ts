/** `/personal-data`: erasing an end user, the erasure log, and the retention of metadata. For owners. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { KnownError } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { ownPassword, ownPasswordField } from '../figures/account-user.ts';
import { formatCount } from '../figures/amount.ts';
import { formatInstant } from '../figures/instant.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field, queryOf } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const RECORD = '{ id subjectHash events requestedAt finishedAt }';
const DATA = graphql(`query PersonalData($first: Int!, $after: String) {
  endUserErasures(first: $first, after: $after) { nodes ${RECORD} pageInfo { hasNextPage endCursor } }
  metadataRetention { months keepDimensions }
  dimensions { key }
}`);
const PROOF = graphql(`query ProofOfErasure($externalId: String!) {
  endUserErasures(externalId: $externalId, first: 20) { nodes ${RECORD} }
}`);
const RETAIN = graphql(`mutation RetainMetadata($months: Int, $keepDimensions: [String!]!, $ownPassword: String) {
  metadataRetentionSet(input: { months: $months, keepDimensions: $keepDimensions, ownPassword: $ownPassword }) { metadataRetention { months } userErrors { message code } }
}`);

const RECORDS_PER_PAGE = 20;

type Data = DataOf<'PersonalData'>;
type Erasure = Data['endUserErasures']['nodes'][number];

export function personalDataPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const after = queryOf(signedIn.request).get('after');
    const data = await askGateway(gateway, DATA, { first: RECORDS_PER_PAGE, after }, signedIn.principal);
    return sendFramed(signedIn, {
      title: 'Personal data',
      ...refusalOf(error),
      body: pageBody(signedIn, data, after),
    });
  };

  pages.get(
    '/personal-data',
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  // A POST, because an external id may be an e-mail address: it never appears in URLs or logs.
  pages.post(
    '/personal-data/proof',
    withSession(dependencies, async (signedIn) => {
      const externalId = field(signedIn.form, 'externalId');
      const { value, error } = await outcomeOf(askGateway(gateway, PROOF, { externalId }, signedIn.principal));
      if (error) return render(signedIn, error);
      const records = value.endUserErasures.nodes;
      const body = html`
<p class="crumbs"><a href="/personal-data">Personal data</a></p>
<h1 class="name">Was ${externalId} erased?</h1>
${
  records.length === 0
    ? html`<p class="panel">No. There is no erasure record for this customer.</p>`
    : html`<p class="lead">Yes. Anyone who knows this id can compute the hash in the record: SHA-256 over your organization’s id <code>${signedIn.principal.organizationId}</code>, a colon and the id.</p>
${recordTable(records)}`
}`;
      return sendFramed(signedIn, { title: 'Proof of an erasure', body });
    }),
  );

  pages.post(
    '/personal-data/retention',
    withSession(dependencies, async (signedIn) => {
      const text = field(signedIn.form, 'months');
      if (text !== '' && !/^\d{1,4}$/.test(text))
        return render(
          signedIn,
          new KnownError('VALIDATION_ERROR', 'Enter a whole number of months, or leave empty to keep metadata'),
        );
      const { dimensions } = await askGateway(gateway, DATA, { first: 1 }, signedIn.principal);
      const variables = {
        months: text === '' ? null : Number(text),
        keepDimensions: dimensions.map(({ key }) => key),
        ...ownPassword(signedIn.form),
      };
      const { error } = await outcomeOf(askGateway(gateway, RETAIN, variables, signedIn.principal));
      return error ? render(signedIn, error) : signedIn.reply.redirect('/personal-data?done=retention-set', 303);
    }),
  );
}

function pageBody({ csrf, form }: SignedIn, data: Data, after: string | null): Html {
  const { nodes: records, pageInfo } = data.endUserErasures;
  return html`
<h1>Personal data</h1>
<p class="lead">Personal identifiers are removed; costs and margins do not change.</p>
<div class="acts">
  <form class="panel stack" method="post" action="/personal-data/erase">${csrfField(csrf)}
    <h2>Erase a customer</h2>
    <p>Replaces the id with a pseudonym in every event, cost and revenue record. You will see the effect first.</p>
    <label>Customer <span class="muted">(the <code>user_id</code> in your events)</span> <input name="externalId" maxlength="255" autocomplete="off" required></label>
    <button class="danger">Continue</button></form>
  <form class="panel stack" method="post" action="/personal-data/proof">${csrfField(csrf)}
    <h2>Prove an erasure</h2>
    <p>Records contain only a hash of the erased id.</p>
    <label>Customer <input name="externalId" maxlength="255" autocomplete="off" required></label>
    <button class="secondary">Look up</button></form>
  ${retentionForm(csrf, field(form, 'months'), data)}
</div>
<section aria-labelledby="erasures" class="stack"><h2 id="erasures">Erasures</h2>
${records.length === 0 ? html`<p class="panel empty">${after === null ? 'No erasures.' : 'No older records.'}</p>` : recordTable(records)}
<p class="pager">${after !== null && html`<a href="/personal-data">Newest</a>`}
  ${pageInfo.hasNextPage && html`<a href="/personal-data?after=${pageInfo.endCursor}">Older</a>`}</p></section>
<section class="panel" aria-labelledby="organization"><h2 id="organization">The whole organization</h2>
  <p>Delete all of the organization’s data, including figures. <a href="/personal-data/organization">Delete the organization</a></p></section>`;
}

function retentionForm(csrf: string, typed: string, { metadataRetention, dimensions }: Data): Html {
  const { months, keepDimensions } = metadataRetention;
  const kept = keepDimensions.length > 0 ? html`, except <code>${keepDimensions.join(', ')}</code>` : '';
  return html`
  <form class="panel stack" method="post" action="/personal-data/retention">${csrfField(csrf)}
    <h2>Keep metadata for</h2>
    <p>${months === null ? 'Metadata of events and outcomes is kept indefinitely.' : html`Metadata is deleted ${months} months after its event or outcome was received${kept}.`}
      Deleted metadata cannot be restored. Costs and registered dimensions${dimensions.length > 0 && html` (<code>${dimensions.map(({ key }) => key).join(', ')}</code>)`} are kept.</p>
    <label>Months <span class="muted">(empty: indefinitely)</span> <input name="months" inputmode="numeric" autocomplete="off" value="${typed !== '' ? typed : (months ?? '')}"></label>
    ${ownPasswordField(null)}<button class="secondary">Save</button></form>`;
}

function recordTable(records: readonly Erasure[]): Html {
  return html`
<div class="panel scroll" tabindex="0" role="region" aria-label="Records of erasures"><table class="fold">
  <caption class="unseen">Records of erasures</caption>
  <thead><tr><th scope="col">Requested</th><th scope="col">Hash of the customer id</th><th scope="col" class="number">Events</th><th scope="col">Finished</th></tr></thead>
  <tbody>${records.map(
    ({ subjectHash, events, requestedAt, finishedAt }) => html`
    <tr><th scope="row">${formatInstant(requestedAt)}</th><td data-label="Hash"><code class="id">${subjectHash}</code></td><td class="number" data-label="Events">${formatCount(events)}</td>
      <td data-label="Finished">${finishedAt === null ? html`<span class="badge test">not yet</span>` : formatInstant(finishedAt)}</td></tr>`,
  )}
  </tbody>
</table></div>`;
}
