/** Matches lines of a bill with charges in the books, by model and class. */
import { NO_QUANTITY, type Quantity, sum, ZERO } from '#kernel/money.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import type { BillLine } from '../lines/bill-line.ts';
import { type ModelKey, modelKey } from '../rules/model-key.ts';
import {
  billedOf,
  type Cell,
  type Group,
  netOf,
  ownAmountOf,
  roundingBound,
  sumOfLines,
  totalOf,
} from './compared-group.ts';
import type { OwnCharge } from './own-charge.ts';

/** Unit of costs that senders state. */
const STATED = 'override';

export interface Period {
  readonly day: string;
  readonly lastDay: string;
  readonly lines: readonly BillLine[];
  readonly own: readonly OwnCharge[];
}

/** Prefix of keys of lines that have a unit instead of a model. */
const UNIT = 'unit:';

/** Key of lines without a model or that are not understood. They are compared with the remaining charges in the books. */
const POOL = '';

/**
 * Decides which names refer to the same model, for all periods at once so that days can be compared with each other.
 */
export function modelKeys(names: readonly string[]): (name: string) => string {
  const keys = new Map<string, ModelKey>([...new Set(names)].map((name) => [name, modelKey(name)]));
  // If a call names its model without a date, the bill names the snapshot that served it.
  const undated = new Set([...keys.values()].filter(({ exact, base }) => exact === base).map(({ base }) => base));
  return (name) => {
    const { exact, base } = keys.get(name) ?? modelKey(name);
    return undated.has(base) ? base : exact;
  };
}

/** Yields at points where the work may pause. */
export function* groupLines(
  { day, lastDay, lines, own }: Period,
  keyOf: (name: string) => string,
): Generator<void, Group[]> {
  const unread = new Set(
    lines
      .filter((line) => isUsage(line) && line.meaning !== null && !line.meaning.verified && line.meaning.model !== null)
      .map(({ meaning }) => keyOf(meaning!.model!)),
  );
  const units = new Set(
    lines.filter((line) => isUsage(line) && isUnitOnly(line)).map(({ meaning }) => `${UNIT}${meaning!.unit}`),
  );
  const meantKey = (line: BillLine): string => {
    if (!isUsage(line) || line.meaning === null) return POOL;
    if (isUnitOnly(line)) return line.meaning.verified ? `${UNIT}${line.meaning.unit}` : POOL;
    const { model } = line.meaning;
    if (model === null) return POOL;
    const key = keyOf(model);
    return unread.has(key) ? POOL : key;
  };
  yield;
  // If a model's costs are stated only as a total, its quantities are compared as a total too.
  const costKeys = new Set(lines.filter(({ part }) => part === 'cost').map(meantKey));
  const lineKey = (line: BillLine): string => {
    const key = meantKey(line);
    return line.part === 'cost' || costKeys.size === 0 || costKeys.has(key) ? key : POOL;
  };
  yield;
  const byKey = Map.groupBy(lines, lineKey);
  yield;
  const hasPool = lines.some((line) => isUsage(line) && lineKey(line) === POOL);
  const ownKey = (charge: OwnCharge): string => {
    const unitKey = `${UNIT}${charge.unit}`;
    if (charge.tokenClass === null && units.has(unitKey)) return byKey.has(unitKey) ? unitKey : POOL;
    const key = keyOf(charge.model);
    return byKey.has(key) || !hasPool ? key : POOL;
  };
  const ownByKey = Map.groupBy(own, ownKey);
  const groups: Group[] = [];
  for (const key of [...new Set([...byKey.keys(), ...ownByKey.keys()])].sort()) {
    yield;
    const [stated, charges] = [byKey.get(key) ?? [], ownByKey.get(key) ?? []];
    const billed = yield* sumOfLines(stated, billedOf, ZERO);
    const ownAmount = ownAmountOf(charges);
    groups.push({
      day,
      lastDay,
      key,
      unit: key.startsWith(UNIT) ? key.slice(UNIT.length) : null,
      model: key === POOL || key.startsWith(UNIT) ? null : (charges[0]?.model ?? stated[0]?.meaning?.model ?? null),
      lines: stated,
      billed,
      own: charges,
      cells: yield* cellsOf(key, stated.filter(isUsage), charges),
      // Usage reports alone contain no amounts.
      remaining: ownAmount === null || costKeys.size === 0 ? null : billed.minus(ownAmount),
      causes: [],
      isDone: false,
    });
  }
  return groups;
}

/** Lines of tools have no model. */
function isUnitOnly({ meaning }: BillLine): boolean {
  return meaning !== null && meaning.model === null && meaning.unit !== null && meaning.unit !== 'tokens';
}

export function isUsage({ kind }: BillLine): boolean {
  return kind === 'usage';
}

function* cellsOf(key: string, lines: readonly BillLine[], own: readonly OwnCharge[]): Generator<void, Cell[]> {
  if (lines.length === 0 && own.length === 0) return [];
  // A cost stated by the sender has no classes and no quantity.
  const isStated = own.some(({ unit }) => unit === STATED);
  // A source without token classes is compared by model.
  const isWhole =
    isStated || key === POOL || lines.some(({ meaning }) => meaning!.tokenClass === null && !key.startsWith(UNIT));
  if (isWhole) {
    const whole = yield* cellOf(null, 'tokens', lines, own);
    return [isStated ? { ...whole, billedQuantity: null } : whole];
  }
  const billedClasses = new Set(lines.map(({ meaning }) => meaning!.tokenClass));
  // Most bills charge reasoning as output.
  const classOf = (tokenClass: TokenClass | null) =>
    tokenClass === 'reasoning' && !billedClasses.has('reasoning') ? 'output' : tokenClass;
  const linesByCell = Map.groupBy(lines, ({ meaning }) => meaning!.tokenClass ?? `${UNIT}${meaning!.unit}`);
  const ownByCell = Map.groupBy(own, ({ tokenClass, unit }) => classOf(tokenClass) ?? `${UNIT}${unit}`);
  const cells: Cell[] = [];
  for (const name of [...new Set([...linesByCell.keys(), ...ownByCell.keys()])].sort()) {
    const unit = name.startsWith(UNIT) ? name.slice(UNIT.length) : 'tokens';
    const tokenClass = unit === 'tokens' ? (name as TokenClass) : null;
    cells.push(yield* cellOf(tokenClass, unit, linesByCell.get(name) ?? [], ownByCell.get(name) ?? []));
  }
  return cells;
}

function* cellOf(
  tokenClass: TokenClass | null,
  unit: string,
  lines: readonly BillLine[],
  own: readonly OwnCharge[],
): Generator<void, Cell> {
  const ownAmount = totalOf(own) ?? ZERO;
  return {
    tokenClass,
    unit,
    lines,
    own,
    billedQuantity: yield* billedQuantityOf(lines),
    ownQuantity: sum(
      own.filter((charge) => unit !== 'tokens' || charge.tokenClass !== null).map(({ quantity }) => quantity),
    ),
    billed: yield* sumOfLines(lines, netOf, ZERO),
    ownAmount,
    ownBasis: ownAmount,
    bound: roundingBound(lines),
  };
}

/**
 * If the costs state no quantities, the quantities of the usage reports are used. Without any line, the quantity is
 * zero.
 */
function* billedQuantityOf(lines: readonly BillLine[]): Generator<void, Quantity | null> {
  const costs = lines.filter(({ part }) => part === 'cost');
  const usage = lines.filter(({ part }) => part === 'usage');
  const isStated = costs.length > 0 && costs.every(({ quantity }) => quantity !== null);
  const counted = usage.length === 0 || isStated ? costs : usage;
  return counted.some(({ quantity, meaning }) => quantity === null || meaning === null)
    ? null
    : yield* sumOfLines(counted, ({ quantity }) => quantity, NO_QUANTITY);
}
