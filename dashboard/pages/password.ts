/** `/password`: changes a person's own password, which requires the current one. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { daysEarlier } from '#kernel/time/duration.ts';
import { isDay } from '#kernel/time/utc-day.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import { dateField } from '../figures/window-choice.ts';
import { withSession, type SignedIn, renewed } from '../http/with-session.ts';
import { graphql } from '#schema/graphql.ts';
import { csrfField, field, rawField } from '../http/form.ts';
import { html, type Html } from '../shell/html.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { sendFramed } from '../http/send-page.ts';
import type { Dependencies } from '../http/dependencies.ts';

const CHANGE = graphql(`mutation ChangePassword($password: String!, $newPassword: String!, $revokeKeysSince: Instant) {
  passwordChange(input: { password: $password, newPassword: $newPassword, revokeKeysSince: $revokeKeysSince }) { session { token expiresAt } userErrors { message code } }
}`);
const TITLE = 'Password';

/** Suggested date: a stolen session works for two weeks at most. */
const DAYS_BEFORE = 14;

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
      if (newPassword !== repeated) return render(signedIn, 'The new passwords do not match');
      const since = field(signedIn.form, 'revoke') === 'yes' ? field(signedIn.form, 'since') : null;
      if (since !== null && !isDay(since)) return render(signedIn, 'Enter the date as YYYY-MM-DD');
      const revokeKeysSince = since === null ? null : `${since}T00:00:00Z`;
      const call = askGateway(gateway, CHANGE, { password, newPassword, revokeKeysSince }, signedIn.principal);
      const { value, error } = await outcomeOf(call);
      if (error) return render(signedIn, error.message);
      renewed(signedIn, dependencies, value.passwordChange.session!);
      return signedIn.reply.redirect(`/password?done=password-changed${since === null ? '' : '-keys-revoked'}`, 303);
    }),
  );
}

function form({ csrf, principal, form: sent }: SignedIn): Html {
  const since = field(sent, 'since') || daysEarlier(now(), DAYS_BEFORE).toISOString().slice(0, 10);
  return html`
<h1>${TITLE}</h1>
<form class="panel stack wide-form" method="post" action="/password">${csrfField(csrf)}
  <p>This signs you out on all other devices.</p>
  <input type="hidden" name="username" value="${principal.credentialName}" autocomplete="username">
  <label>Current password <input type="password" name="password" autocomplete="current-password" required></label>
  <label>New password <input type="password" name="new_password" autocomplete="new-password" minlength="8" required></label>
  <label>Confirm new password <input type="password" name="repeated" autocomplete="new-password" minlength="8" required></label>
  <fieldset><legend>API keys and connected devices</legend>
    <label class="choice"><input type="checkbox" name="revoke" value="yes"${field(sent, 'revoke') === 'yes' && html` checked`}>
      <span><strong>Revoke keys I created since this date</strong><br><span class="muted">Choose this if someone else may have used your account. Programs that use these keys will stop working.</span></span></label>
    ${dateField('since', html`Created since <span class="hint">UTC</span>`, since)}
  </fieldset>
  <button>Change password</button>
</form>`;
}
