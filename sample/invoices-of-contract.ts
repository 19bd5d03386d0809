/** The invoices of a contract: one in advance for each period, and one for each upgrade within a period. */
import { DAY_MS } from '#kernel/time/duration.ts';
import { addMonths } from '#kernel/time/calendar.ts';
import type { Contract } from './contracts.ts';

/** Amounts in cents. */
interface InvoiceLine {
  readonly description: string;
  /** Negative for the unused part of the previous plan. */
  readonly amount: number;
  readonly discount: number;
  readonly tax: number;
  readonly start: Date;
  /** Exclusive. */
  readonly end: Date;
  readonly proration: boolean;
}

export interface ContractInvoice {
  readonly at: Date;
  /** Number of the period, starting at 0; null for an upgrade within a period. */
  readonly period: number | null;
  readonly isPaid: boolean;
  readonly lines: readonly InvoiceLine[];
}

/** Invoices until `until`. A contract always has the same invoices; a later `until` only adds further ones. */
export function invoicesOfContract(contract: Contract, began: Date, until: Date): ContractInvoice[] {
  const first = dateOf(contract.firstDay, began);
  const ends = contract.cancelledOnDay === undefined ? until : earlier(until, dateOf(contract.cancelledOnDay, began));
  const invoices: ContractInvoice[] = [];
  for (let period = 0, start = first; start <= ends; period += 1) {
    const end = addMonths(first, (period + 1) * contract.months);
    invoices.push(renewal(contract, period, { start, end }, began), ...upgrades(contract, { start, end }, began, ends));
    start = end;
  }
  return invoices;
}

interface Period {
  readonly start: Date;
  readonly end: Date;
}

function renewal(contract: Contract, period: number, { start, end }: Period, began: Date): ContractInvoice {
  const { plan } = contract.plans.findLast(({ fromDay }) => dateOf(fromDay, began) <= start) ?? contract.plans[0]!;
  const line = lineOf(contract, plan.name, plan.cents * contract.months, { start, end }, false);
  return { at: start, period, isPaid: contract.unpaidPeriod !== period, lines: [line] };
}

function upgrades(contract: Contract, { start, end }: Period, began: Date, until: Date): ContractInvoice[] {
  return contract.plans.flatMap(({ fromDay, plan }, index) => {
    const at = dateOf(fromDay, began);
    const before = contract.plans[index - 1]?.plan;
    if (before === undefined || at <= start || at >= end || at > until) return [];
    const left = (end.getTime() - at.getTime()) / (end.getTime() - start.getTime());
    const part = (cents: number) => Math.round(cents * contract.months * left);
    const rest = { start: at, end };
    const lines = [
      lineOf(contract, `Unused time on ${before.name}`, -part(before.cents), rest, true),
      lineOf(contract, `Remaining time on ${plan.name}`, part(plan.cents), rest, true),
    ];
    return [{ at, period: null, isPaid: true, lines }];
  });
}

function lineOf(
  { discountPercent = 0, taxPercent = 0 }: Contract,
  description: string,
  amount: number,
  period: Period,
  proration: boolean,
): InvoiceLine {
  const discount = Math.round((amount * discountPercent) / 100);
  return {
    description,
    amount,
    discount,
    tax: Math.round(((amount - discount) * taxPercent) / 100),
    ...period,
    proration,
  };
}

function dateOf(day: number, began: Date): Date {
  return new Date(began.getTime() + day * DAY_MS);
}

function earlier(a: Date, b: Date): Date {
  return a < b ? a : b;
}
