/** The month or week of a statement, and its figures. */
import { addMonths, monthStart, unitStart } from '#kernel/time/calendar.ts';
import { daysEarlier, daysLater } from '#kernel/time/duration.ts';
import { dateInWords } from '#kernel/time/in-words.ts';
import { parseIso8601 } from '#kernel/time/instant.ts';
import { askGateway } from '#platform/ask-gateway.ts';
import { now } from '#platform/clock.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { Principal } from '#platform/principal.ts';
import { fail } from '#kernel/errors.ts';
import { type DataOf, graphql } from '#schema/graphql.ts';
import { formatCount } from '../../figures/amount.ts';
import { formatMonth } from '../../figures/instant.ts';
import { windowChoice, type WindowChoice } from '../../figures/window-choice.ts';

const CUSTOMERS_MAX = 5_000;
const MODELS_MAX = 1_000;

const STATEMENT = graphql(`query MonthStatement($start: Instant!, $end: Instant!, $customers: Int!, $models: Int!) {
  costs: costClosing { closedUntil }
  revenue: revenueClosing { closedUntil }
  window(start: $start, end: $end) {
    margin {
      total { totalRevenue totalCost marginAmount marginPercent unattributedCost unattributedRevenue }
      endUsers(first: $customers) {
        nodes { endUserId endUserName endUser { externalId } revenue cost marginAmount marginPercent profitability }
        totalCount totalRevenue totalCost marginAmount
      }
      unmatchedCustomers(first: 1) { totalCount totalRevenue }
      warnings { type }
    }
    costs(groupBy: [PROVIDER, MODEL], first: $models) { nodes { values { value } totalCost eventCount } totalCost eventCount }
    events(first: 1) { totalCount }
    ledgerCosts { corrections { month totalCost entryCount } }
  }
}`);

export type Statement = DataOf<'MonthStatement'>;

/** A calendar month, or a week from Monday, in UTC. */
export interface StatementPeriod {
  readonly unit: 'month' | 'week';
  readonly first: Date;
  readonly end: Date;
  /** `2026-10`, or the Monday. */
  readonly name: string;
  /** `October 2026`, `the week of 16 Nov 2026`. */
  readonly label: string;
  /** The days of the period. */
  readonly window: WindowChoice;
}

const DAY_LENGTH = 'YYYY-MM-DD'.length;
const WEEK_DAYS = 7;

/** Fails with `VALIDATION_ERROR` for a period that has not ended. */
export function periodOf(query: URLSearchParams): StatementPeriod {
  const week = query.get('week');
  const { end, ...period } = week === null ? monthOf(query.get('month') ?? '') : weekOf(week);
  if (end > now()) fail('VALIDATION_ERROR', `This ${period.unit} has not ended yet.`);
  const days = new URLSearchParams({ from: dayOf(period.first), to: dayOf(daysEarlier(end, 1)) });
  return { ...period, end, window: windowChoice(days, now()) };
}

/** The Monday of the last completed week. */
export function lastWeek(): string {
  return dayOf(daysEarlier(mondayOf(now()), WEEK_DAYS));
}

function monthOf(text: string): Omit<StatementPeriod, 'window'> {
  const [, year, month] =
    /^(\d{4})-(0[1-9]|1[0-2])$/.exec(text) ?? fail('VALIDATION_ERROR', 'Choose a month, for example 2026-10.');
  const first = monthStart(Number(year), Number(month) - 1);
  return { unit: 'month', first, end: addMonths(first, 1), name: text, label: formatMonth(first) };
}

function weekOf(text: string): Omit<StatementPeriod, 'window'> {
  const instant = text.length === DAY_LENGTH ? parseIso8601(text) : null;
  const first = instant === null ? null : new Date(instant.epochMs);
  if (first === null || first.getTime() !== mondayOf(first).getTime())
    fail('VALIDATION_ERROR', 'Choose a week by its Monday, for example 2026-11-16.');
  return {
    unit: 'week',
    first,
    end: daysLater(first, WEEK_DAYS),
    name: text,
    label: `the week of ${dateInWords(first)}`,
  };
}

function mondayOf(at: Date): Date {
  return new Date(Number(unitStart(BigInt(at.getTime()) * 1000n, 'week') / 1000n));
}

function dayOf(at: Date): string {
  return at.toISOString().slice(0, DAY_LENGTH);
}

export async function getStatement(
  gateway: GatewayClient,
  principal: Principal,
  { window: { start, end } }: StatementPeriod,
): Promise<Statement> {
  const variables = { start, end, customers: CUSTOMERS_MAX, models: MODELS_MAX };
  const found = await askGateway(gateway, STATEMENT, variables, principal);
  const { endUsers } = found.window.margin;
  if (endUsers.totalCount > endUsers.nodes.length)
    fail(
      'UNPROCESSABLE_ENTITY',
      `A statement lists at most ${formatCount(CUSTOMERS_MAX)} customers. Use the CSV of the customers page.`,
    );
  return found;
}
