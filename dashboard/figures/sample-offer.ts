/** The offer to look at sample data, where there are no own figures yet. */
import { csrfField } from '../http/form.ts';
import type { SignedIn } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

/** Nothing for those who may not make it. */
export function sampleOffer({ csrf, principal }: Pick<SignedIn, 'csrf' | 'principal'>): Html | false {
  if (!['owner', 'admin'].some((role) => principal.grants.includes(role))) return false;
  return html`
<form class="panel stack" method="post" action="/sample/open">${csrfField(csrf)}
  <h2>Look at sample data</h2>
  <p>Ninety days of a made-up product: its customers with what they pay, models, agents, and a day on which something went wrong. It is kept apart from your figures, and removed with one click.</p>
  <button class="secondary">Look at sample data</button></form>`;
}
