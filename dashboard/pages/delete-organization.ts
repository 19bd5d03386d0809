/**
 * `/personal-data/organization`: deletes the organization, confirmed by its name and the person's password. For
 * owners.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { fail, KnownError } from '#kernel/errors.ts';
import { graphql } from '#schema/graphql.ts';
import { ownPassword, ownPasswordField } from '../figures/account-user.ts';
import { dropSession } from '../http/cookies.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { csrfField, field } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { refusalOf } from '../http/refusal-of.ts';
import { sendFramed } from '../http/send-page.ts';
import { signInAgain } from '../http/sign-in-again.ts';
import { type SignedIn, withSession } from '../http/with-session.ts';
import { html } from '../shell/html.ts';

const PATH = '/personal-data/organization';
const ORGANIZATION = graphql('query OrganizationToDelete { organization { id name } }');
const DELETE = graphql(`mutation DeleteOwnOrganization($id: ID!, $ownPassword: String) {
  organizationDelete(input: { id: $id, ownPassword: $ownPassword }) { deletedRows { rows } userErrors { message code } }
}`);

export function deleteOrganizationPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway, isSecure } = dependencies;

  const render = async (signedIn: SignedIn, error?: KnownError): Promise<FastifyReply> => {
    const { csrf, principal } = signedIn;
    if (!principal.grants.includes('owner')) fail('FORBIDDEN', 'Only owners can delete the organization.');
    const { organization } = await askGateway(gateway, ORGANIZATION, {}, principal);
    const body = html`
<p class="crumbs"><a href="/personal-data">Personal data</a></p>
<h1>Delete ${organization.name}?</h1>
${signInAgain(error, PATH)}
<form class="panel stack wide-form" method="post" action="${PATH}">${csrfField(csrf)}
  <ul class="asks">
    <li>Everyone is signed out and all API keys are revoked at once.</li>
    <li>All usage events, costs, breakdowns, revenue records and the audit log are deleted within minutes.</li>
    <li>Only a record remains that an organization with this id was deleted, when and by whom.</li>
  </ul>
  <p><strong>This cannot be undone.</strong> Export what you need first.</p>
  <label>Name of the organization <input name="name" autocomplete="off" required></label>
  ${ownPasswordField(null)}
  <p class="actions"><button class="danger">Delete everything</button> <a href="/personal-data">Cancel</a></p>
</form>`;
    return sendFramed(signedIn, {
      title: 'Delete the organization',
      ...refusalOf(error),
      body,
    });
  };

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => render(signedIn)),
  );

  pages.post(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const { form, principal, reply } = signedIn;
      const { organization } = await askGateway(gateway, ORGANIZATION, {}, principal);
      if (field(form, 'name') !== organization.name)
        return render(signedIn, new KnownError('VALIDATION_ERROR', 'The name does not match: nothing was deleted'));
      const variables = { id: organization.id, ...ownPassword(form) };
      const { error } = await outcomeOf(askGateway(gateway, DELETE, variables, principal));
      if (error) return render(signedIn, error);
      dropSession(reply, isSecure);
      return reply.redirect('/sign-in?done=organization-deleted', 303);
    }),
  );
}
