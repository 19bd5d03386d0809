/** Events and costs in the period of an import. */
import { graphql } from '#schema/graphql.ts';
import { askGraph } from '../ask-graph.ts';
import { formatValue } from '../format-value.ts';
import type { Login } from '../saved-login.ts';

const FIGURES = graphql(`query BooksImportedPeriod($start: Instant!, $end: Instant!) {
  window(start: $start, end: $end) {
    cost: ledgerCost
    guessed: guessedEvents
    usage: usageSummary { events: totalEvents }
    warnings { message }
  }
}`);

/** Null if the key may not read costs. */
export async function figureLines(login: Login, first: string, last: string): Promise<string[] | null> {
  const end = new Date(Date.parse(last) + 1).toISOString();
  const answer = await askGraph(login, FIGURES, { start: first, end }).catch(() => null);
  const window = answer?.window;
  if (!window) return null;
  return [
    `The books from ${first} to ${last}:`,
    `  ${formatValue(window.usage?.events ?? 0, 'count')} events, ${formatValue(window.cost ?? '0', 'amount')} USD at the prices of their time`,
    `  ${formatValue(window.guessed ?? 0, 'count')} of them priced on a guess`,
    ...(window.warnings ?? []).map(({ message }) => `  ${formatValue(message, 'text')}`),
  ];
}
