/** Comparisons of the books' verification, and the remedy for a difference (docs/operations/verifying.md). */

import type { DataOf } from '#schema/graphql.ts';
import { html, type Html } from '../shell/html.ts';
import { formatInstant } from './instant.ts';

export type Books = DataOf<'BooksPage'>['books'];

interface BookCheck {
  /** Name of the comparison in the graph. */
  readonly what: string;
  readonly label: string;
  readonly remedy: string;
}

const REBUILD = 'Rebuild the breakdowns below. The ledger is correct; nothing is lost.';

const BOOK_CHECKS: readonly BookCheck[] = [
  { what: 'facts = ledger', label: 'Every ledger cost is in the breakdowns', remedy: REBUILD },
  {
    what: 'facts that the ledger does not know',
    label: 'Every cost in the breakdowns is in the ledger',
    remedy: REBUILD,
  },
  { what: "end users' days = facts", label: 'Totals by customer match their costs', remedy: REBUILD },
  { what: 'groups = facts', label: 'Totals by model, provider and dimension match their costs', remedy: REBUILD },
  {
    what: 'hour counters = ledger',
    label: 'The cost summary matches the ledger',
    remedy: 'Contact the operator of this service: the summary differs from the ledger. The ledger is correct.',
  },
];

/** Remedy for a comparison that this page does not know. */
const OTHER_REMEDY = 'Contact the operator of this service.';

/** True if a difference can be repaired from the ledger. */
export function needsRebuild({ differences }: Books): boolean {
  return differences.some(({ what }) => BOOK_CHECKS.some((check) => check.what === what && check.remedy === REBUILD));
}

/** Maximum differences listed per comparison. */
const DAYS_MAX = 10;

/** Each comparison with its result; for differences, the affected days and the remedy. */
export function checkList({ state, differences }: Books): Html {
  const others = differences.filter(({ what }) => !BOOK_CHECKS.some((check) => check.what === what));
  const checks = [
    ...BOOK_CHECKS,
    ...[...new Set(others.map(({ what }) => what))].map((what) => ({ what, label: what, remedy: OTHER_REMEDY })),
  ];
  return html`
<section aria-labelledby="checks" class="stack"><h2 id="checks">Checks</h2>
<ul class="rows">${checks.map(({ what, label, remedy }) => {
    const found = differences.filter((difference) => difference.what === what);
    const badge =
      found.length > 0
        ? html`<span class="badge bad">differs</span>`
        : state === 'UNVERIFIED'
          ? html`<span class="badge">not checked yet</span>`
          : html`<span class="badge good">ok</span>`;
    return html`
  <li class="panel">
    <h3>${label} ${badge}</h3>
    ${found.length > 0 && html`<p>${remedy}</p>${differenceTable(label, found)}`}
  </li>`;
  })}
</ul></section>`;
}

function differenceTable(label: string, found: Books['differences']): Html {
  return html`
<div class="scroll" tabindex="0" role="group" aria-label="${label}"><table>
  <thead><tr><th scope="col">Day</th><th scope="col">Both figures</th><th scope="col">First seen</th></tr></thead>
  <tbody>${found
    .slice(0, DAYS_MAX)
    .map(
      ({ day, detail, since }) =>
        html`<tr><th scope="row"><time>${day}</time></th><td>${detail}</td><td>${formatInstant(since)}</td></tr>`,
    )}</tbody>
</table></div>
${found.length > DAYS_MAX && html`<p class="muted">${DAYS_MAX} of ${found.length} days, in the order in which they were found.</p>`}`;
}
