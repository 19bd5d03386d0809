/** `/password`: a person's own password, changed with the present one. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { askGateway } from '../../platform/ask-gateway.ts';
import { withSession, type SignedIn, renewed } from '../http/with-session.ts';
import { graphql } from '../../schema/graphql.ts';
import { csrfField, rawField } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendFramed } from '../http/send-page.ts';
import type { Dependencies } from '../http/dependencies.ts';

const CHANGE = graphql(`mutation ChangePassword($password: String!, $newPassword: String!) {
  changePassword(password: $password, newPassword: $newPassword) { token expiresAt }
}`);
const TITLE = 'Password';

export function passwordPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;
  const render = (signedIn: SignedIn, error: string | null): FastifyReply =>
    sendFramed(signedIn, { title: TITLE, error, body: form(signedIn) });

  pages.get(
    '/password',
    withSession(dependencies, async (signedIn) => render(signedIn, null)),
  );

  pages.post(
    '/password',
    withSession(dependencies, async (signedIn) => {
      const [password, newPassword, repeated] = [
        rawField(signedIn.form, 'password'),
        rawField(signedIn.form, 'new_password'),
        rawField(signedIn.form, 'repeated'),
      ];
      if (newPassword !== repeated) return render(signedIn, 'The new password was not repeated alike');
      const call = askGateway(gateway, CHANGE, { password, newPassword }, signedIn.principal);
      const { value, error } = await outcomeOf(call);
      if (error) return render(signedIn, error.message);
      renewed(signedIn, dependencies, value.changePassword);
      return signedIn.reply.redirect('/password?done=password-changed', 303);
    }),
  );
}

function form({ csrf, principal }: SignedIn): Html {
  return html`
<h1>${TITLE}</h1>
<form class="panel stack" method="post" action="/password">${csrfField(csrf)}
  <p>All your other devices are signed out. API keys stay as they are.</p>
  <input type="hidden" name="username" value="${principal.credentialName}" autocomplete="username">
  <label>Present password <input type="password" name="password" autocomplete="current-password" required></label>
  <label>New password <input type="password" name="new_password" autocomplete="new-password" minlength="8" required></label>
  <label>New password again <input type="password" name="repeated" autocomplete="new-password" minlength="8" required></label>
  <button>Change it</button>
</form>`;
}
