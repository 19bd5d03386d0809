/** `/margins/currency`: the margin in the organization's reporting currency, as a page and as CSV. */
import type { FastifyInstance } from 'fastify';
import { now } from '#platform/clock.ts';
import { getReportingMargin, reportingPanel } from '../../figures/reporting-margin.ts';
import { reportingSheet } from '../../figures/reporting-sheet.ts';
import { windowChoice, windowLinks, windowParameters } from '../../figures/window-choice.ts';
import type { Dependencies } from '../../http/dependencies.ts';
import { queryOf } from '../../http/form.ts';
import { outcomeOf } from '../../http/outcome-of.ts';
import { periodQuery } from '../../http/period-query.ts';
import { sendCsv } from '../../http/send-csv.ts';
import { sendFramed } from '../../http/send-page.ts';
import { withSession } from '../../http/with-session.ts';
import { html } from '../../shell/html.ts';

const PATH = '/margins/currency';

function titleIn(currency: string): string {
  return currency === 'USD' ? 'Margin in USD, other currencies included' : `Margin in ${currency}`;
}

export function reportingCurrencyPages(pages: FastifyInstance, dependencies: Dependencies): void {
  const { gateway } = dependencies;

  pages.get(
    PATH,
    withSession(dependencies, async (signedIn) => {
      const window = windowChoice(periodQuery(dependencies, signedIn), now());
      const { value, error } = await outcomeOf(getReportingMargin(gateway, signedIn.principal, window), []);
      const title = value === null ? 'Margin in your currency' : titleIn(value.currency);
      const body = html`
<p class="crumbs"><a href="/margins?${new URLSearchParams(windowParameters(window)).toString()}">Margins</a></p>
<div class="heading"><h1>${title}</h1>
  ${windowLinks(window, PATH)}
</div>
${
  error
    ? html`<p class="alert" role="alert">${error.message}</p>`
    : value === null
      ? html`<p class="panel empty">Margins are reported in USD. <a href="/settings/currency">Currency</a></p>`
      : reportingPanel(value, window)
}`;
      return sendFramed(signedIn, { title, body, ...(error ? { status: 422 } : {}) });
    }),
  );

  pages.get(
    `${PATH}.csv`,
    withSession(dependencies, async ({ request, reply, principal }) => {
      const { start, end, from, to } = windowChoice(queryOf(request), now());
      const { header, rows, currency } = await reportingSheet(gateway, principal, { start, end });
      return sendCsv(reply, `margins-${currency.toLowerCase()}-${from}-${to}`, header, rows);
    }),
  );
}
