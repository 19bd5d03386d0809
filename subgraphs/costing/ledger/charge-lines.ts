/**
 * What an entry charges, class by class (`schema/priced-feed.ts`). Most entries list their charges in the lines of the
 * explanation; the others store them next to the lines.
 */
import { type Amount, amount, plain } from '#kernel/money.ts';
import type { ChargeLine } from '#schema/priced-feed.ts';
import type { CostEntryLine } from './cost-entry-explanation.ts';

/** The class of a cost that the caller stated. */
export const OVERRIDE = 'override';

/** The parts of an entry's stored explanation that are about charges. */
export interface ChargedEntry {
  readonly charges?: readonly ChargeLine[] | null | undefined;
  readonly lines: readonly CostEntryLine[];
  readonly totalCost: string;
}

/** `context` applies to entries that store no charges. */
export function chargesOfEntry({ charges, lines, totalCost }: ChargedEntry, context: string): readonly ChargeLine[] {
  if (charges) return charges;
  return lines.length === 0 && totalCost !== '0'
    ? [chargeLine(OVERRIDE, '0', totalCost, { unit: OVERRIDE })]
    : chargesOfLines(lines, context);
}

/** Lines of the same class and model are added. */
export function chargesOfLines(lines: readonly CostEntryLine[], context: string): ChargeLine[] {
  const charges: ChargeLine[] = [];
  for (const [item, quantity, , per, cost, , model] of lines) {
    const line = chargeLine(item, quantity ?? '0', cost, {
      unit: per === 1 ? item : null,
      context,
      model: model ?? null,
    });
    const same = charges.findIndex((charge) => isSame(charge, line));
    if (same < 0) charges.push(line);
    else charges[same] = added(charges[same]!, line);
  }
  return charges;
}

interface ChargeKey {
  readonly unit?: string | null;
  readonly context?: string | null;
  readonly model?: string | null;
  readonly agreement?: string | null;
}

/** Leaves out fields with default values, because the lines of every event are stored and most have no other values. */
export function chargeLine(
  chargeClass: string,
  quantity: string,
  cost: string,
  { unit, context, model, agreement }: ChargeKey = {},
  listAmount: string = cost,
): ChargeLine {
  const list = listAmount === cost ? null : listAmount;
  const [unitName, pairs, other] = [unit || null, context || null, model || null];
  if (agreement) return [chargeClass, quantity, cost, list, unitName, pairs, other, agreement];
  if (other !== null) return [chargeClass, quantity, cost, list, unitName, pairs, other];
  if (pairs !== null) return [chargeClass, quantity, cost, list, unitName, pairs];
  if (unitName !== null) return [chargeClass, quantity, cost, list, unitName];
  return list === null ? [chargeClass, quantity, cost] : [chargeClass, quantity, cost, list];
}

/** Lines of several entries, summed by class, unit, context, model and agreement. Lines whose values are all zero are left out. */
export function sumCharges(entries: readonly (readonly ChargeLine[])[]): ChargeLine[] {
  const sums = new Map<string, ChargeLine>();
  for (const charges of entries)
    for (const line of charges) {
      const key = keyOf(line);
      const known = sums.get(key);
      sums.set(key, known === undefined ? line : added(known, line));
    }
  return [...sums.values()].filter((line) => line[1] !== '0' || line[2] !== '0' || listOf(line) !== '0');
}

/** `after` minus `before`. */
export function chargeDifference(before: readonly ChargeLine[], after: readonly ChargeLine[]): ChargeLine[] {
  return sumCharges([after, oppositeCharges(before)]);
}

/** The lines with the opposite quantities and amounts. */
export function oppositeCharges(charges: readonly ChargeLine[]): ChargeLine[] {
  return charges.map((line) => computed(line, (value) => -value));
}

/** The lines without their amounts, which are booked at another time. */
export function quantitiesOf(charges: readonly ChargeLine[]): ChargeLine[] {
  return charges.map((line) => withFigures(line, line[1], '0', '0'));
}

/** The lines without their quantities. */
export function amountsOf(charges: readonly ChargeLine[]): ChargeLine[] {
  return charges.map((line) => withFigures(line, '0', line[2], listOf(line)));
}

/** Names the agreement of each discounted line. */
export function withAgreements(
  charges: readonly ChargeLine[],
  discounted: readonly { readonly item: string; readonly model?: string; readonly agreement?: string }[],
): readonly ChargeLine[] {
  const agreements = new Map(
    discounted.flatMap(({ item, model, agreement }) =>
      agreement === undefined ? [] : [[JSON.stringify([item, model ?? null]), agreement]],
    ),
  );
  if (agreements.size === 0) return charges;
  return charges.map((line) => {
    const [chargeClass, quantity, cost, list = null, unit = null, context = null, model = null] = line;
    const agreement = agreements.get(classOf(line)) ?? null;
    return chargeLine(chargeClass, quantity, cost, { unit, context, model, agreement }, list ?? cost);
  });
}

/**
 * Adds what the classes cost at list prices. A class that only the list price charges has the amount 0; a class that
 * only the organization's card charges has the list amount 0.
 */
export function withListAmounts(
  charges: readonly ChargeLine[],
  list: readonly ChargeLine[],
  context: string,
): ChargeLine[] {
  const rest = new Map(list.map((line) => [classOf(line), line]));
  const lines = charges.map((line) => {
    const listed = rest.get(classOf(line));
    rest.delete(classOf(line));
    return withFigures(line, line[1], line[2], listed?.[2] ?? '0');
  });
  const others = [...rest.values()].map(([item, quantity, cost, , unit, , model]) =>
    chargeLine(item, quantity, '0', { unit: unit ?? null, context, model: model ?? null }, cost),
  );
  return [...lines, ...others];
}

function listOf(line: ChargeLine): string {
  return line[3] ?? line[2];
}

function withFigures(line: ChargeLine, quantity: string, cost: string, list: string): ChargeLine {
  const [chargeClass, , , , unit = null, context = null, model = null, agreement = null] = line;
  return chargeLine(chargeClass, quantity, cost, { unit, context, model, agreement }, list);
}

function computed(line: ChargeLine, change: (value: Amount, column: number) => Amount): ChargeLine {
  const figures = [line[1], line[2], listOf(line)].map((text, column) => plain(change(amount(text), column)));
  const [quantity = '0', cost = '0', list = '0'] = figures;
  return withFigures(line, quantity, cost, list);
}

function added(one: ChargeLine, other: ChargeLine): ChargeLine {
  const figures = [other[1], other[2], listOf(other)].map(amount);
  return computed(one, (value, column) => value + figures[column]!);
}

function isSame(one: ChargeLine, other: ChargeLine): boolean {
  return one[0] === other[0] && (one[6] ?? null) === (other[6] ?? null);
}

function classOf(line: ChargeLine): string {
  return JSON.stringify([line[0], line[6] ?? null]);
}

function keyOf([chargeClass, , , , unit = null, context = null, model = null, agreement = null]: ChargeLine): string {
  return JSON.stringify([chargeClass, unit, context, model, agreement]);
}
