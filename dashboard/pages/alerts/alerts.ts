/** `/alerts`: what hurts now, what did, and what is watched. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '../../../platform/ask-gateway.ts';
import { formatInstant } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField } from '../../http/form.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { alertsHeading } from './alerts-heading.ts';
import { type AlertRule, describeRule, KINDS, RULES } from './rule-words.ts';

export function alertsPage(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/alerts',
    withSession(dependencies, async (signedIn) => {
      const { alertRules } = await askGateway(gateway, RULES, {}, signedIn.principal);
      const body = html`${alertsHeading('Alerts', '/alerts')}${ruleList(signedIn, alertRules)}`;
      return sendFramed(signedIn, { title: 'Alerts', body });
    }),
  );
}

function ruleList({ csrf, principal }: SignedIn, rules: readonly AlertRule[]): Html {
  const isAdmin = ['owner', 'admin'].some((role) => principal.grants.includes(role));
  return html`
<section class="panel" aria-labelledby="rules"><div class="heading"><h2 id="rules">What is watched</h2>${isAdmin && html`<a class="button" href="/alerts/rules/new">New alert</a>`}</div>
<div class="scroll" tabindex="0" role="group" aria-labelledby="rules"><table class="fold">
  <thead><tr><th scope="col">Rule</th><th scope="col">Watches</th><th scope="col">Delivered</th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>
  <tbody>${rules.map(
    (rule) => html`
    <tr><th scope="row" class="name"><a href="/alerts/rules/${rule.id}">${rule.name}</a><br><span class="muted">${KINDS[rule.kind].label}</span></th>
      <td>${describeRule(rule)}</td>
      <td data-label="Delivered">${deliveryOf(rule)}</td>
      <td>${isAdmin && html`<form method="post" action="/alerts/rules/${rule.id}/mute">${csrfField(csrf)}<input type="hidden" name="muted" value="${rule.isMuted ? 'no' : 'yes'}"><button class="quiet">${rule.isMuted ? 'Deliver' : 'Mute'}<span class="unseen"> ${rule.name}</span></button></form>`}</td></tr>`,
  )}
  </tbody>
</table></div></section>`;
}

function deliveryOf({ isMuted, mutedUntil, channelIds }: AlertRule): Html {
  if (isMuted)
    return html`<span class="badge">muted</span>${mutedUntil !== null && html` until ${formatInstant(mutedUntil)}`}`;
  return channelIds.length === 0
    ? html`<span class="muted">no channel chosen</span>`
    : html`${channelIds.length} ${channelIds.length === 1 ? 'channel' : 'channels'}`;
}
