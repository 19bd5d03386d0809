/** `/insights`: the few sentences about a period that are worth reading today. The overview loads them after it is shown. */
import type { FastifyInstance } from 'fastify';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { withUnbrokenAmounts } from '../figures/amount.ts';
import { windowChoice, type WindowChoice, windowLinks, windowParameters } from '../figures/window-choice.ts';
import type { Dependencies } from '../http/dependencies.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import { periodQuery } from '../http/period-query.ts';
import { sendFramed } from '../http/send-page.ts';
import { withSession } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';

const PATH = '/insights';
const INSIGHTS = graphql(`query InsightsPage($start: Instant!, $end: Instant!, $first: Int!) {
  window(start: $start, end: $end) { insights(first: $first) { sentence path } }
}`);
/** Explaining a change takes longer than all figures of the overview. */
const LISTED_MAX = 3;

export function insightsPage(pages: FastifyInstance, dependencies: Dependencies): void {
  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const window = windowChoice(periodQuery(dependencies, signedIn), now());
      const variables = { start: window.start, end: window.end, first: LISTED_MAX };
      const { value, error } = await outcomeOf(
        askGateway(dependencies.gateway, INSIGHTS, variables, signedIn.principal),
        [],
      );
      const body = html`
<div class="heading"><h1>Insights</h1>
  ${windowLinks(window, PATH)}
</div>
${panel(error ? html`<p class="muted">${error.message}</p>` : listed(value.window.insights))}`;
      return sendFramed(signedIn, { title: 'Insights', body });
    }),
  );
}

/**
 * The overview's panel, which the pages' script replaces with the panel from `/insights`. `window`: null for the usual
 * period.
 */
export function laterInsights(window: WindowChoice | null): Html {
  const path = window === null ? PATH : `${PATH}?${new URLSearchParams(windowParameters(window)).toString()}`;
  return panel(html`<p><a href="${path}">Show insights</a></p>`, path);
}

function panel(content: Html, later: string | null = null): Html {
  return html`<section class="panel" id="insights" aria-labelledby="insights-title"${later !== null && html` data-later="${later}"`}><h2 id="insights-title">Insights</h2>${content}</section>`;
}

function listed(insights: DataOf<'InsightsPage'>['window']['insights']): Html {
  if (insights.length === 0) return html`<p class="muted">Nothing stands out in this period.</p>`;
  return html`<ul>${insights.map(
    ({ sentence, path }) =>
      html`<li>${withUnbrokenAmounts(sentence)} <a href="${path}">See why<span class="unseen">: ${sentence}</span></a></li>`,
  )}</ul>`;
}
