/** Reads the charges of a period, day by day. */
import { graphql } from '#schema/graphql.ts';
import { readPages } from './read-pages.ts';
import type { ReportSource } from './report-table.ts';

const CHARGES = graphql(`query ReportedCharges(
  $start: Instant!, $end: Instant!, $by: ChargeKey, $first: Int!, $after: String
) {
  window(start: $start, end: $end) {
    chargeDays(by: $by, first: $first, after: $after) {
      nodes {
        day provider model context chargeClass unit endUser { externalId } agent { agentId }
        quantity listAmount amount corrections eventCount
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}`);

const PAGE = 5_000;
const KEYS = { sku: null, customer: 'END_USER', agent: 'AGENT' } as const;

export interface ChargeDayRow {
  readonly day: string;
  readonly provider: string;
  readonly model: string;
  readonly context: string;
  readonly class: string;
  readonly unit: string;
  readonly end_user: string | null;
  readonly agent: string | null;
  readonly quantity: string;
  readonly list_amount: string;
  readonly contracted_amount: string;
  readonly effective_amount: string;
  readonly corrections: string;
  readonly events: number;
}

export async function* readChargeDays({ ask, period, grain }: ReportSource): AsyncGenerator<readonly ChargeDayRow[]> {
  for (const { start, end } of period.days)
    for await (const nodes of readPages(
      async (after) => (await ask(CHARGES, { start, end, by: KEYS[grain], first: PAGE, after })).window.chargeDays,
    ))
      yield nodes.map(({ day, provider, model, context, unit, quantity, corrections, ...charge }) => ({
        day,
        provider,
        model,
        context,
        class: charge.chargeClass,
        unit,
        end_user: charge.endUser?.externalId ?? null,
        agent: charge.agent?.agentId ?? null,
        quantity,
        list_amount: charge.listAmount,
        contracted_amount: charge.amount,
        effective_amount: charge.amount,
        corrections,
        events: charge.eventCount,
      }));
}
