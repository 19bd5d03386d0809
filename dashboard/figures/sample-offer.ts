/** Offers sample data while the organization has no figures of its own, and the removal of existing sample data. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import { graphql } from '#schema/graphql.ts';
import { csrfField } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import type { SignedIn } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';
import { isAdmin } from './account-user.ts';
import { formatDate } from './instant.ts';

const SAMPLE = graphql('query OfferedSample { sampleData { createdAt } }');

/** Empty for people who may not create it. */
export async function sampleOffer(
  gateway: GatewayClient,
  { csrf, principal }: Pick<SignedIn, 'csrf' | 'principal'>,
): Promise<Html | false> {
  if (!isAdmin(principal)) return false;
  const { value } = await outcomeOf(askGateway(gateway, SAMPLE, {}, principal), []);
  const sample = value?.sampleData ?? null;
  return html`
<section class="panel stack" aria-labelledby="sample"><h2 id="sample">Explore sample data</h2>
  <p>Ninety days of an imaginary product: customers, revenue, models, agents, and one incident. It is separate from your data and can be removed with one click.</p>
  ${sample !== null && html`<p class="muted">Created on ${formatDate(sample.createdAt)}; it ends on that day. Remove and create it again for newer days.</p>`}
  <div class="actions"><form method="post" action="/sample/open">${csrfField(csrf)}<button class="secondary">Explore sample data</button></form>
  ${sample !== null && html`<form method="post" action="/sample/remove">${csrfField(csrf)}<button class="quiet">Remove sample data</button></form>`}</div>
</section>`;
}
