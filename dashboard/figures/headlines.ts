/** The figures at the top: cost, change, margin, events, credits. */
import { html, type Content, type Html } from '../shell/html.ts';
import type { CostFigures, MarginFigures } from './overview-figures.ts';
import type { Span } from './span.ts';
import { showAmount, showCount, showPercent } from './amount.ts';
import { showDate } from './instant.ts';

export function headlines({ label, before }: Span, { costSummary, credits }: CostFigures, margin: MarginFigures | null): Html {
  const { currentPeriodCost, previousPeriodCost, changeAmount, changePercent, eventCount } = costSummary;
  const direction = changeAmount === '0' ? 'no change' : changeAmount.startsWith('-') ? 'less' : 'more';
  const change = changeAmount === '0'
    ? html`As much as ${before}`
    : html`<span class="change ${direction}">${direction === 'more' ? '▲' : '▼'} ${showAmount(changeAmount.replace('-', ''))} ${direction}</span> (${showPercent(changePercent)}) than ${before}: ${showAmount(previousPeriodCost)}`;
  return html`
<section aria-label="${label} in figures" class="headlines">
  ${headline('Cost', showAmount(currentPeriodCost), change)}
  ${margin && headline('Margin', showAmount(margin.total.marginAmount), margin.total.marginPercent === null ? 'no revenue in this span' : `${showPercent(margin.total.marginPercent)} of ${showAmount(margin.total.totalRevenue)} revenue`)}
  ${headline('Events', showCount(eventCount), 'priced in this span')}
  ${credits.creditsLeft !== null && headline('Event credits left', showCount(credits.creditsLeft), credits.renewsAt !== null && html`the plan renews on ${showDate(credits.renewsAt)}`)}
</section>`;
}

function headline(name: string, figure: string, note: Content): Html {
  return html`<div class="panel headline"><h2>${name}</h2><p class="figure">${figure}</p><p class="muted">${note}</p></div>`;
}
