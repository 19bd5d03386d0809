/** Step 6: keys, projects and workspaces that are billed but report nothing. Finds the smallest set that fits. */
import { type Money, plain, type Quantity, sum, toLedger, ZERO } from '#kernel/money.ts';
import type { BillLine } from '../lines/bill-line.ts';
import { agrees, type Cell, type Group, isWithin, netOf, quantityDifference, take } from './compared-group.ts';

/** Bounds of the search, which tries every set of up to three scopes. */
const SCOPES_MAX = 60;
const SIZE_MAX = 3;

export function explainSilentScopes(groups: readonly Group[]): void {
  let open = groups.filter((group) => group.remaining !== null && !group.isDone && !agrees(group));
  while (open.length > 0) {
    const silent = fewestScopes(open);
    if (silent === null) return;
    for (const group of silent.groups) {
      const amount = sum(group.cells.map((cell) => amountOf(cell, silent.scopes)));
      take(group, {
        cause: 'SILENT_SCOPE',
        amount,
        detail: `${silent.scopes.join(', ')} ${silent.scopes.length === 1 ? 'spends and does not report' : 'spend and do not report'}: ${plain(amount)}`,
        scopes: silent.scopes,
      });
      for (const cell of group.cells) cell.billed = cell.billed.minus(amountOf(cell, silent.scopes));
      group.explainedScopes = silent.scopes;
    }
    open = open.filter((group) => !silent.groups.includes(group));
  }
}

interface SilentScopes {
  readonly scopes: readonly string[];
  /** The groups in which they account for the difference. */
  readonly groups: readonly Group[];
}

function fewestScopes(groups: readonly Group[]): SilentScopes | null {
  const billed = groups.map((group) => ({ group, scopes: scopesIn(group) }));
  const scopes = [...new Set(billed.flatMap((one) => [...one.scopes]))].sort();
  if (scopes.length === 0 || scopes.length > SCOPES_MAX) return null;
  for (let size = 1; size <= Math.min(SIZE_MAX, scopes.length); size++) {
    let best: SilentScopes | null = null;
    for (const chosen of choices(scopes, size)) {
      const touched = billed.filter((one) => chosen.some((scope) => one.scopes.has(scope))).map(({ group }) => group);
      if (touched.length === 0 || !touched.every((group) => accountsFor(group, chosen))) continue;
      // No smaller set fits, so every scope of this one is needed.
      if (best === null || touched.length > best.groups.length) best = { scopes: chosen, groups: touched };
    }
    if (best !== null) return best;
  }
  return null;
}

/** The narrowest scope of each line. */
function scopesIn({ cells }: Group): ReadonlySet<string> {
  return new Set(cells.flatMap(({ lines }) => lines.flatMap((line) => line.scopes.slice(-1))));
}

function* choices(scopes: readonly string[], size: number, from = 0): Generator<string[]> {
  if (size === 0) {
    yield [];
    return;
  }
  for (let at = from; at <= scopes.length - size; at++)
    for (const rest of choices(scopes, size - 1, at + 1)) yield [scopes[at]!, ...rest];
}

function linesOf(cell: Cell, scopes: readonly string[]): BillLine[] {
  return cell.lines.filter((line) => scopes.includes(line.scopes.at(-1) ?? ''));
}

/** True if these scopes used exactly what is missing: in every class if quantities are known, otherwise in total. */
function accountsFor(group: Group, scopes: readonly string[]): boolean {
  const differences = group.cells.map((cell) => ({
    cell,
    missing: quantityDifference(cell),
    used: usedBy(cell, scopes),
  }));
  if (differences.every(({ missing, used }) => missing !== null && used !== null))
    return (
      differences.every(({ missing, used }) => missing!.equals(used!)) &&
      differences.some(({ missing }) => !missing!.isZero())
    );
  const amount = sum(group.cells.map((cell) => amountOf(cell, scopes)));
  return isWithin(group.remaining!.minus(amount), sum(group.cells.map(({ bound }) => bound)));
}

/** Null if their lines do not state a quantity, for example if only costs name the project. */
function usedBy(cell: Cell, scopes: readonly string[]): Quantity | null {
  const lines = linesOf(cell, scopes);
  const counted = lines.filter(({ quantity }) => quantity !== null);
  if (lines.length > 0 && counted.length === 0) return null;
  const part = counted.some((line) => line.part === 'usage') ? 'usage' : 'cost';
  return sum(counted.filter((line) => line.part === part).map(({ quantity }) => quantity!));
}

/** Their share of the cell: from their own lines, or by quantity if only the usage report names them. */
function amountOf(cell: Cell, scopes: readonly string[]): Money {
  const costs = cell.lines.filter(({ part }) => part === 'cost');
  const own = linesOf(cell, scopes).filter(({ part }) => part === 'cost');
  const billed = sum(costs.map(netOf));
  const used = usedBy(cell, scopes);
  if (own.length === 0 && used !== null && cell.billedQuantity !== null && !cell.billedQuantity.isZero())
    return toLedger(cell.billed.times(used).div(cell.billedQuantity));
  if (own.length === costs.length) return cell.billed;
  return billed.isZero() ? ZERO : toLedger(cell.billed.times(sum(own.map(netOf))).div(billed));
}
