/** Matches lines of a bill with charges in the books, by model and class. */
import { type Money, type Quantity, sum, ZERO } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import type { BillLine } from '../lines/bill-line.ts';
import { type ModelKey, modelKey } from '../rules/model-key.ts';
import { billedOf, type Cell, type Group, netOf, ownAmountOf, roundingBound } from './compared-group.ts';
import type { OwnCharge } from './own-charge.ts';

/** Unit of costs that senders state. */
const STATED = 'override';

export interface Period {
  readonly day: string;
  readonly lastDay: string;
  readonly lines: readonly BillLine[];
  readonly own: readonly OwnCharge[];
}

/** Key of lines without a model or that are not understood. They are compared with the remaining charges in the books. */
const POOL = '';

/** Decides which names mean the same model, for all periods at once so that days can be compared with each other. */
export function modelKeys(names: readonly string[]): (name: string) => string {
  const keys = new Map<string, ModelKey>(names.map((name) => [name, modelKey(name)]));
  // For a call without a date, the bill names the snapshot that served it.
  const undated = new Set([...keys.values()].filter(({ exact, base }) => exact === base).map(({ base }) => base));
  return (name) => {
    const { exact, base } = keys.get(name) ?? modelKey(name);
    return undated.has(base) ? base : exact;
  };
}

export function groupLines({ day, lastDay, lines, own }: Period, keyOf: (name: string) => string): Group[] {
  const unread = new Set(
    lines
      .filter((line) => isUsage(line) && line.meaning !== null && !line.meaning.verified && line.meaning.model !== null)
      .map(({ meaning }) => keyOf(meaning!.model!)),
  );
  const units = new Set(
    lines.filter((line) => isUsage(line) && isUnitOnly(line)).map(({ meaning }) => `unit:${meaning!.unit}`),
  );
  const meantKey = (line: BillLine): string => {
    if (!isUsage(line) || line.meaning === null) return POOL;
    if (isUnitOnly(line)) return line.meaning.verified ? `unit:${line.meaning.unit}` : POOL;
    const { model } = line.meaning;
    if (model === null) return POOL;
    const key = keyOf(model);
    return unread.has(key) ? POOL : key;
  };
  // If a model's costs are stated only as a total, its quantities are compared as a total too.
  const costKeys = new Set(lines.filter(({ part }) => part === 'cost').map(meantKey));
  const lineKey = (line: BillLine): string => {
    const key = meantKey(line);
    return line.part === 'cost' || costKeys.size === 0 || costKeys.has(key) ? key : POOL;
  };
  const byKey = Map.groupBy(lines, lineKey);
  const hasPool = lines.some((line) => isUsage(line) && lineKey(line) === POOL);
  const ownKey = (charge: OwnCharge): string => {
    const unitKey = `unit:${charge.unit}`;
    if (charge.tokenClass === null && units.has(unitKey)) return byKey.has(unitKey) ? unitKey : POOL;
    const key = keyOf(charge.model);
    return byKey.has(key) || !hasPool ? key : POOL;
  };
  const ownByKey = Map.groupBy(own, ownKey);
  return [...new Set([...byKey.keys(), ...ownByKey.keys()])].sort().map((key) => {
    const [billed, charges] = [byKey.get(key) ?? [], ownByKey.get(key) ?? []];
    const ownAmount = ownAmountOf(charges);
    return {
      day,
      lastDay,
      key,
      model: key === POOL || key.startsWith('unit:') ? null : (charges[0]?.model ?? billed[0]?.meaning?.model ?? null),
      lines: billed,
      own: charges,
      cells: cellsOf(key, billed.filter(isUsage), charges),
      // Usage reports alone contain no amounts.
      remaining: ownAmount === null || costKeys.size === 0 ? null : sum(billed.map(billedOf)).minus(ownAmount),
      causes: [],
      isDone: false,
    };
  });
}

/** Lines of tools have no model. */
function isUnitOnly({ meaning }: BillLine): boolean {
  return meaning !== null && meaning.model === null && meaning.unit !== null && meaning.unit !== 'tokens';
}

export function isUsage({ kind }: BillLine): boolean {
  return kind === 'usage';
}

function cellsOf(key: string, lines: readonly BillLine[], own: readonly OwnCharge[]): Cell[] {
  if (lines.length === 0 && own.length === 0) return [];
  // A cost stated by the sender has no classes and no quantity.
  const isStated = own.some(({ unit }) => unit === STATED);
  // A source without token classes is compared by model.
  const isWhole =
    isStated || key === POOL || lines.some(({ meaning }) => meaning!.tokenClass === null && !key.startsWith('unit:'));
  if (isWhole) {
    const whole = cellOf(null, 'tokens', lines, own);
    return [isStated ? { ...whole, billedQuantity: null } : whole];
  }
  const billedClasses = new Set(lines.map(({ meaning }) => meaning!.tokenClass));
  // Most bills charge reasoning as output.
  const classOf = (tokenClass: TokenClass | null) =>
    tokenClass === 'reasoning' && !billedClasses.has('reasoning') ? 'output' : tokenClass;
  const linesByCell = Map.groupBy(lines, ({ meaning }) => meaning!.tokenClass ?? `unit:${meaning!.unit}`);
  const ownByCell = Map.groupBy(own, ({ tokenClass, unit }) => classOf(tokenClass) ?? `unit:${unit}`);
  return [...new Set([...linesByCell.keys(), ...ownByCell.keys()])].sort().map((name) => {
    const unit = name.startsWith('unit:') ? name.slice('unit:'.length) : 'tokens';
    const tokenClass = unit === 'tokens' ? (name as TokenClass) : null;
    return cellOf(tokenClass, unit, linesByCell.get(name) ?? [], ownByCell.get(name) ?? []);
  });
}

function cellOf(
  tokenClass: TokenClass | null,
  unit: string,
  lines: readonly BillLine[],
  own: readonly OwnCharge[],
): Cell {
  const ownAmount = ownAmountOf(own) ?? ZERO;
  return {
    tokenClass,
    unit,
    lines,
    own,
    billedQuantity: billedQuantityOf(lines),
    ownQuantity: sum(
      own.filter((charge) => unit !== 'tokens' || charge.tokenClass !== null).map(({ quantity }) => quantity),
    ),
    billed: sum(lines.map(netOf)),
    ownAmount,
    ownBasis: ownAmount,
    bound: roundingBound(lines),
  };
}

/** Usage reports supply quantities for costs without them. Without lines, the quantity is zero. */
function billedQuantityOf(lines: readonly BillLine[]): Quantity | null {
  const costs = lines.filter(({ part }) => part === 'cost');
  const usage = lines.filter(({ part }) => part === 'usage');
  if (usage.length === 0) return totalOf(costs);
  return costs.some(({ quantity }) => quantity === null) || costs.length === 0 ? totalOf(usage) : totalOf(costs);
}

function totalOf(lines: readonly BillLine[]): Money | null {
  return lines.some(({ quantity, meaning }) => quantity === null || meaning === null)
    ? null
    : sum(lines.map(({ quantity }) => quantity!));
}
