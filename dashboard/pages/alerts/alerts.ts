/** `/alerts`: open alerts, past alerts and rules. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { isAdmin } from '../../figures/account-user.ts';
import { formatCount, withUnbrokenAmounts } from '../../figures/amount.ts';
import { formatInstant } from '../../figures/instant.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { csrfField, queryOf } from '../../http/form.ts';
import { sendFramed } from '../../http/send-page.ts';
import { type SignedIn, withSession } from '../../http/with-session.ts';
import { html, type Html } from '../../shell/html.ts';
import { alertsHeading } from './alerts-heading.ts';
import { CLOSED_REASONS, episodeBadges } from './episode-words.ts';
import { type AlertRule, describeRule, KINDS, RULES } from './rule-words.ts';

const OPEN_MAX = 200;
const PAGE = 25;

const EPISODES = graphql(`query AlertEpisodesPage($open: Int!, $first: Int!, $after: String) {
  open: alertEpisodes(state: OPEN, first: $open) {
    nodes { id sentence severity groupName openedAt acknowledgedAt path rule { name isMuted } kind } totalCount
  }
  closed: alertEpisodes(state: CLOSED, first: $first, after: $after) {
    nodes { id sentence groupName openedAt closedAt closedReason rule { name } kind }
    pageInfo { hasNextPage hasPreviousPage endCursor } totalCount
  }
  alertEvaluation { evaluatedAt waitingFor }
}`);

type Figures = DataOf<'AlertEpisodesPage'>;

export function alertsPage(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    '/alerts',
    withSession(dependencies, async (signedIn) => {
      const after = queryOf(signedIn.request).get('after');
      const page = { open: OPEN_MAX, first: PAGE, after };
      const [figures, { alertRules }] = await Promise.all([
        askGateway(gateway, EPISODES, page, signedIn.principal),
        askGateway(gateway, RULES, {}, signedIn.principal),
      ]);
      const body = html`
${alertsHeading(signedIn.principal, 'Alerts', '/alerts')}
${openEpisodes(figures)}
${ruleList(signedIn, alertRules)}
${closedEpisodes(figures.closed)}`;
      return sendFramed(signedIn, { title: 'Alerts', body });
    }),
  );
}

function openEpisodes({ open: { nodes, totalCount }, alertEvaluation: { evaluatedAt, waitingFor } }: Figures): Html {
  return html`
<section class="panel" aria-labelledby="open"><h2 id="open">${totalCount === 0 ? 'No open alerts' : `${formatCount(totalCount)} open`}</h2>
<p class="muted">${evaluatedAt === null ? 'The first check finishes within a minute.' : html`Last check: ${formatInstant(evaluatedAt)}.`}${waitingFor !== null && html` Waiting: ${waitingFor}`}</p>
${
  nodes.length > 0 &&
  html`<ul class="rows">${nodes.map(
    ({ id, kind, sentence, groupName, openedAt, path, rule, ...episode }) => html`
  <li class="row"><div><p class="name"><a href="/alerts/episodes/${id}"><b>${rule?.name ?? KINDS[kind].label}${groupName !== null && html`: ${groupName}`}</b></a> ${episodeBadges({ ...episode, isMuted: rule?.isMuted ?? false, isOpen: true })}</p>
    <p>${withUnbrokenAmounts(sentence)}</p><p class="muted">Since ${formatInstant(openedAt)}. <a href="${path}">View figures<span class="unseen"> of ${rule?.name ?? ''} ${groupName}</span></a></p></div></li>`,
  )}</ul>`
}
</section>`;
}

function closedEpisodes({ nodes, pageInfo, totalCount }: Figures['closed']): Html | false {
  if (totalCount === 0) return false;
  return html`
<section class="panel" aria-labelledby="history"><h2 id="history">History (${formatCount(totalCount)})</h2>
<div class="scroll" tabindex="0" role="group" aria-labelledby="history"><table class="fold">
  <thead><tr><th scope="col">Alert</th><th scope="col">Message</th><th scope="col">From</th><th scope="col">Until</th><th scope="col">Closed because</th></tr></thead>
  <tbody>${nodes.map(
    ({ id, kind, rule, groupName, sentence, openedAt, closedAt, closedReason }) => html`
    <tr><th scope="row" class="name"><a href="/alerts/episodes/${id}">${rule?.name ?? KINDS[kind].label}${groupName !== null && html`: ${groupName}`}</a></th><td>${withUnbrokenAmounts(sentence)}</td>
      <td data-label="From">${formatInstant(openedAt)}</td><td data-label="Until">${closedAt !== null && formatInstant(closedAt)}</td><td data-label="Ended:">${closedReason !== null && CLOSED_REASONS[closedReason]}</td></tr>`,
  )}
  </tbody></table></div>
${(pageInfo.hasNextPage || pageInfo.hasPreviousPage) && html`<nav class="pager" aria-label="Pages">${pageInfo.hasPreviousPage && html`<a href="/alerts#history">First page</a>`}${pageInfo.hasNextPage && html`<a href="/alerts?${new URLSearchParams({ after: pageInfo.endCursor ?? '' }).toString()}#history">Next page</a>`}</nav>`}
</section>`;
}

function ruleList({ csrf, principal }: SignedIn, rules: readonly AlertRule[]): Html {
  const mayManage = isAdmin(principal);
  return html`
<section class="panel" aria-labelledby="rules"><div class="heading"><h2 id="rules">Alert rules</h2>${mayManage && html`<a class="button" href="/alerts/rules/new">New alert</a>`}</div>
<div class="scroll" tabindex="0" role="group" aria-labelledby="rules"><table class="fold">
  <thead><tr><th scope="col">Rule</th><th scope="col">Watches</th><th scope="col">Delivered</th><th scope="col"><span class="unseen">Actions</span></th></tr></thead>
  <tbody>${rules.map(
    (rule) => html`
    <tr><th scope="row" class="name"><a href="/alerts/rules/${rule.id}">${rule.name}</a>${rule.name !== KINDS[rule.kind].label && html` <br><span class="muted">${KINDS[rule.kind].label}</span>`}</th>
      <td>${describeRule(rule)}</td>
      <td data-label="Delivered">${deliveryOf(rule)}</td>
      <td>${mayManage && html`<form method="post" action="/alerts/rules/${rule.id}/mute">${csrfField(csrf)}<input type="hidden" name="muted" value="${rule.isMuted ? 'no' : 'yes'}"><button class="quiet">${rule.isMuted ? 'Unmute' : 'Mute'}<span class="unseen"> ${rule.name}</span></button></form>`}</td></tr>`,
  )}
  </tbody>
</table></div></section>`;
}

function deliveryOf({ isMuted, mutedUntil, channelIds }: AlertRule): Html {
  if (isMuted)
    return html`<span class="badge">muted</span>${mutedUntil !== null && html` until ${formatInstant(mutedUntil)}`}`;
  return channelIds.length === 0
    ? html`<span class="muted">no channel</span>`
    : html`${channelIds.length} ${channelIds.length === 1 ? 'channel' : 'channels'}`;
}
