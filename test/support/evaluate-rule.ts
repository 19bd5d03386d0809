/**
 * The part of PromQL that our alert rules use, over two scrapes: selectors, `rate`, `sum by`, arithmetic and
 * comparisons.
 */

export interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Samples by metric, and the time of the scrape. */
export interface Scrape {
  readonly at: number;
  readonly metrics: ReadonlyMap<string, readonly Series[]>;
}

/** Syntax of the text format. */
export function parseScrape(text: string, at: number): Scrape {
  const metrics = new Map<string, Series[]>();
  for (const line of text.split('\n')) {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    if (name === undefined) continue;
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    metrics.set(name, [...(metrics.get(name) ?? []), { labels: Object.fromEntries(pairs), value: Number(value) }]);
  }
  return { at, metrics };
}

type Value = number | readonly Series[];

const TOKEN = /\s*(>=|<=|==|!=|=~|!~|[-+*/<>=(){},[\]]|"[^"]*"|[\w.]+)/y;
/** In order of precedence, lowest first. */
const OPERATORS = [
  ['==', '!=', '>=', '<=', '>', '<'],
  ['+', '-'],
  ['*', '/'],
] as const;

/** The series for which an alert would fire; empty if there are none. */
export function evaluateRule(expression: string, [before, after]: readonly [Scrape, Scrape]): readonly Series[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(expression); found; found = TOKEN.exec(expression)) tokens.push(found[1]!);
  const take = (...expected: string[]): string => {
    const token = tokens.shift() ?? '';
    if (expected.length > 0 && !expected.includes(token)) throw new Error(`${expression}: ${token} for ${expected}`);
    return token;
  };

  const isNext = (token: string): boolean => tokens[0] === token;

  const binary = (level: number): Value => {
    const operators: readonly string[] | undefined = OPERATORS[level];
    if (!operators) return primary();
    let left = binary(level + 1);
    while (operators.includes(tokens[0] ?? '')) left = combine(take(), left, binary(level + 1));
    return left;
  };
  const names = (): string[] => {
    const list: string[] = [];
    take('(');
    while (!isNext(')')) list.push(take());
    take(')');
    return list.filter((name) => name !== ',');
  };
  const primary = (): Value => {
    const token = take();
    if (token === '(') return inside(() => binary(0));
    if (/^[\d.]+$/.test(token)) return Number(token);
    if (token === 'sum') {
      const by = isNext('by') ? (take('by'), names()) : [];
      take('(');
      return sum(inside(() => binary(0)) as readonly Series[], by);
    }
    if (token === 'rate') {
      take('(');
      const name = take();
      const matches = matchers();
      take('[');
      take();
      take(']');
      take(')');
      return rate(select(before, name, matches), select(after, name, matches), (after.at - before.at) / 1_000);
    }
    return select(after, token, matchers());
  };
  const inside = (read: () => Value): Value => {
    const value = read();
    take(')');
    return value;
  };
  const matchers = (): Matcher[] => {
    const list: Matcher[] = [];
    if (!isNext('{')) return list;
    take('{');
    while (!isNext('}')) {
      if (isNext(',')) take();
      list.push({ label: take(), operator: take('=', '!=', '=~', '!~'), text: take().slice(1, -1) });
    }
    take('}');
    return list;
  };

  const result = binary(0);
  if (tokens.length > 0) throw new Error(`${expression}: not understood from ${tokens[0]}`);
  return typeof result === 'number' ? [] : result;
}

interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly text: string;
}

function select({ metrics }: Scrape, name: string, matches: readonly Matcher[]): readonly Series[] {
  return (metrics.get(name) ?? []).filter(({ labels }) =>
    matches.every(({ label, operator, text }) => {
      const value = labels[label] ?? '';
      const isMatch = operator.endsWith('~') ? new RegExp(`^(?:${text})$`).test(value) : value === text;
      return operator.startsWith('!') ? !isMatch : isMatch;
    }),
  );
}

function keyOf(labels: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(labels).sort());
}

function rate(before: readonly Series[], after: readonly Series[], seconds: number): readonly Series[] {
  const earlier = new Map(before.map(({ labels, value }) => [keyOf(labels), value]));
  return after.map(({ labels, value }) => ({ labels, value: (value - (earlier.get(keyOf(labels)) ?? 0)) / seconds }));
}

function sum(series: readonly Series[], by: readonly string[]): readonly Series[] {
  const groups = Map.groupBy(
    series.map(({ labels, value }) => ({
      labels: Object.fromEntries(by.flatMap((name) => (name in labels ? [[name, labels[name]!]] : []))),
      value,
    })),
    ({ labels }) => keyOf(labels),
  );
  return [...groups.values()].map((group) => ({
    labels: group[0]!.labels,
    value: group.reduce((total, { value }) => total + value, 0),
  }));
}

function combine(operator: string, left: Value, right: Value): Value {
  if (typeof left === 'number' || typeof right === 'number') {
    if (typeof left === 'number' && typeof right === 'number') return calculate(operator, left, right) ?? 0;
    const series = (typeof left === 'number' ? right : left) as readonly Series[];
    return series.flatMap(({ labels, value }) => {
      const result = calculate(
        operator,
        typeof left === 'number' ? left : value,
        typeof right === 'number' ? right : value,
      );
      return result === null ? [] : [{ labels, value: result }];
    });
  }
  const others = new Map(right.map(({ labels, value }) => [keyOf(labels), value]));
  return left.flatMap(({ labels, value }) => {
    const other = others.get(keyOf(labels));
    const result = other === undefined ? null : calculate(operator, value, other);
    return result === null ? [] : [{ labels, value: result }];
  });
}

/** A comparison keeps or drops the left side. */
function calculate(operator: string, left: number, right: number): number | null {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / right;
    case '==':
      return left === right ? left : null;
    case '!=':
      return left !== right ? left : null;
    case '>':
      return left > right ? left : null;
    case '<':
      return left < right ? left : null;
    case '>=':
      return left >= right ? left : null;
    default:
      return left <= right ? left : null;
  }
}
