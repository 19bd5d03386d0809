/** Step 7: keys, projects and workspaces that are billed but report nothing. Finds the smallest set that fits. */
import { type Money, NO_QUANTITY, plain, prorate, type Quantity, sum, toLedger, ZERO } from '#kernel/money.ts';
import type { BillPart } from '../lines/bill-line.ts';
import { agrees, type Cell, type Group, isWithin, netOf, quantityDifference, take } from './compared-group.ts';

/** Bounds of the search, which tries every set of up to three scopes. */
const SCOPES_MAX = 60;
const SIZE_MAX = 3;

/** Yields at points where the search may pause. */
export function* explainSilentScopes(groups: readonly Group[]): Generator<void, void> {
  let open = groups.filter((group) => group.remaining !== null && !group.isDone && !agrees(group));
  while (open.length > 0) {
    const silent = yield* fewestScopes(open);
    if (silent === null) return;
    for (const group of silent.groups) {
      const amounts = silent.cells.get(group)!.map((cell) => amountOf(cell, silent.scopes));
      const amount = sum(amounts);
      take(group, {
        cause: 'SILENT_SCOPE',
        amount,
        detail: `${silent.scopes.join(', ')} ${silent.scopes.length === 1 ? 'spends and does not report' : 'spend and do not report'}: ${plain(amount)}`,
        scopes: silent.scopes,
      });
      for (const [index, cell] of group.cells.entries()) cell.billed = cell.billed.minus(amounts[index]!);
      group.explainedScopes = silent.scopes;
    }
    open = open.filter((group) => !silent.groups.includes(group));
  }
}

interface SilentScopes {
  readonly scopes: readonly string[];
  /** The groups in which they account for the difference. */
  readonly groups: readonly Group[];
  readonly cells: ReadonlyMap<Group, readonly ScopedCell[]>;
}

function* fewestScopes(groups: readonly Group[]): Generator<void, SilentScopes | null> {
  const cells = new Map<Group, readonly ScopedCell[]>();
  const found = new Set<string>();
  for (const group of groups) {
    const scoped: ScopedCell[] = [];
    for (const cell of group.cells) {
      const one = yield* scopedCell(cell);
      // The bound also limits the memory of this search.
      if (one === null) return null;
      scoped.push(one);
      for (const scope of one.byScope.keys()) found.add(scope);
      if (found.size > SCOPES_MAX) return null;
    }
    cells.set(group, scoped);
  }
  const scopes = [...found].sort();
  for (let size = 1; size <= Math.min(SIZE_MAX, scopes.length); size++) {
    let best: SilentScopes | null = null;
    for (const chosen of choices(scopes, size)) {
      yield;
      const touched = groups.filter((group) =>
        cells.get(group)!.some(({ byScope }) => chosen.some((scope) => byScope.has(scope))),
      );
      if (touched.length === 0 || !touched.every((group) => accountsFor(group, cells.get(group)!, chosen))) continue;
      // No smaller set fits, so every scope of this one is needed.
      if (best === null || touched.length > best.groups.length) best = { scopes: chosen, groups: touched, cells };
    }
    if (best !== null) return best;
  }
  return null;
}

/** Sums of a cell's lines of one scope. */
interface ScopeTotals {
  /** Number of the scope's cost lines. */
  costs: number;
  net: Money;
  /** Null if no line states a quantity. */
  readonly quantity: Record<BillPart, Quantity | null>;
}

/** A cell with its lines added up by scope, so that trying a set of scopes takes only a few additions. */
interface ScopedCell {
  readonly cell: Cell;
  readonly byScope: ReadonlyMap<string, ScopeTotals>;
  readonly costs: number;
  readonly net: Money;
}

/** Null if it has too many scopes. A line counts for its narrowest scope. */
function* scopedCell(cell: Cell): Generator<void, ScopedCell | null> {
  const byScope = new Map<string, ScopeTotals>();
  let [costs, net] = [0, ZERO];
  for (const line of cell.lines) {
    yield;
    const isCost = line.part === 'cost';
    if (isCost) [costs, net] = [costs + 1, net.plus(netOf(line))];
    const scope = line.scopes.at(-1);
    if (scope === undefined) continue;
    const totals = byScope.get(scope) ?? { costs: 0, net: ZERO, quantity: { cost: null, usage: null } };
    byScope.set(scope, totals);
    if (byScope.size > SCOPES_MAX) return null;
    if (isCost) [totals.costs, totals.net] = [totals.costs + 1, totals.net.plus(netOf(line))];
    if (line.quantity !== null)
      totals.quantity[line.part] = (totals.quantity[line.part] ?? NO_QUANTITY).plus(line.quantity);
  }
  return { cell, byScope, costs, net };
}

function* choices(scopes: readonly string[], size: number, from = 0): Generator<string[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let at = from; at <= scopes.length - size; at++)
    for (const rest of choices(scopes, size - 1, at + 1)) yield [scopes[at]!, ...rest];
}

function totalsOf({ byScope }: ScopedCell, scopes: readonly string[]): ScopeTotals[] {
  return scopes.flatMap((scope) => byScope.get(scope) ?? []);
}

/** True if these scopes used exactly what is missing: in every class if quantities are known, otherwise in total. */
function accountsFor(group: Group, cells: readonly ScopedCell[], scopes: readonly string[]): boolean {
  const differences = cells.map((scoped) => ({
    missing: quantityDifference(scoped.cell),
    used: usedBy(scoped, scopes),
  }));
  if (differences.every(({ missing, used }) => missing !== null && used !== null))
    return (
      differences.every(({ missing, used }) => missing!.eq(used!)) &&
      differences.some(({ missing }) => !missing!.isZero())
    );
  const amount = sum(cells.map((scoped) => amountOf(scoped, scopes)));
  return isWithin(group.remaining!.minus(amount), sum(group.cells.map(({ bound }) => bound)));
}

/** Quantity used by `scopes`; null if their lines do not state one, for example if only costs name the project. */
function usedBy(scoped: ScopedCell, scopes: readonly string[]): Quantity | null {
  const totals = totalsOf(scoped, scopes);
  const [usage, cost] = (['usage', 'cost'] as const).map((part) =>
    totals.flatMap(({ quantity }) => quantity[part] ?? []),
  ) as [Quantity[], Quantity[]];
  if (totals.length > 0 && usage.length + cost.length === 0) return null;
  return sum(usage.length > 0 ? usage : cost);
}

/** The share of `scopes` in the cell's amount: taken from their own cost lines, or by quantity if only usage lines name them. */
function amountOf(scoped: ScopedCell, scopes: readonly string[]): Money {
  const { cell, costs, net } = scoped;
  const totals = totalsOf(scoped, scopes);
  const own = totals.reduce((count, one) => count + one.costs, 0);
  const used = usedBy(scoped, scopes);
  if (own === 0 && used !== null && cell.billedQuantity !== null && !cell.billedQuantity.isZero())
    return toLedger(cell.billed.times(used).div(cell.billedQuantity));
  if (own === costs) return cell.billed;
  return net.isZero() ? ZERO : toLedger(prorate(cell.billed, sum(totals.map((one) => one.net)), net));
}
