/**
 * Evaluates the static rules of the published requirements model of FOCUS 1.2. Rules with the keyword MAY permit something and
 * cannot be violated. Dynamic rules need knowledge about the provider and are not evaluated.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export type FocusRow = Readonly<Record<string, string | null>>;

interface Check {
  readonly CheckFunction?: string;
  readonly ColumnName?: string;
  /** The model's misspelling of `ColumnName` in two rules. */
  readonly CheckCondition?: string;
  readonly ColumnAName?: string;
  readonly ColumnBName?: string;
  readonly ExpectedCount?: number;
  readonly ModelRuleId?: string;
  readonly Value?: string | number | null;
  readonly Items?: readonly Check[];
}

interface Rule {
  readonly Function: string;
  readonly Type: 'Static' | 'Dynamic';
  readonly ApplicabilityCriteria: readonly string[];
  readonly ValidationCriteria: {
    readonly MustSatisfy: string;
    readonly Keyword: string;
    readonly Requirement: Check;
    readonly Condition: Check;
  };
}

const MODEL = new URL('../../../schema/focus/focus-1-2.json.gz', import.meta.url);

const RULES = (
  JSON.parse(gunzipSync(readFileSync(MODEL)).toString()) as { readonly ModelRules: Readonly<Record<string, Rule>> }
).ModelRules;

/** Returns the violated rules. `criteria`: what the provider supports, in the model's words. */
export function violationsOf12(rows: readonly FocusRow[], criteria: readonly string[]): string[] {
  const columns = new Set(Object.keys(rows[0] ?? {}));
  const found = new Set<string>();
  const context: Context = { rows, columns, criteria: new Set(criteria), partners: new Map() };
  for (const [id, rule] of Object.entries(RULES))
    if (id.startsWith('CostAndUsage-D-') && rule.Function === 'Presence') check(rule, {}, context, found);
  for (const column of columns) {
    const root = Object.entries(RULES).find(([id]) => id.startsWith(`${column}-C-000-`))?.[1];
    // A column without rules would pass without a check.
    if (root === undefined) found.add(`${column}: not a column of 1.2`);
    // The rules of a column that is present apply, even if it could be absent.
    else for (const row of rows) check(root, row, supporting(context, root.ApplicabilityCriteria), found);
  }
  return [...found];
}

function supporting(context: Context, criteria: readonly string[]): Context {
  return { ...context, criteria: new Set([...context.criteria, ...criteria]) };
}

interface Context {
  readonly rows: readonly FocusRow[];
  readonly columns: ReadonlySet<string>;
  readonly criteria: ReadonlySet<string>;
  /** Number of distinct values of the second column by value of the first. */
  readonly partners: Map<string, ReadonlyMap<string, number>>;
}

/** Adds the innermost violated rules of a tree of "and" to `found`. */
function check(rule: Rule, row: FocusRow, context: Context, found: Set<string>): void {
  if (!applies(rule, row, context)) return;
  const { Requirement: requirement, MustSatisfy: sentence } = rule.ValidationCriteria;
  for (const item of requirement.CheckFunction === 'AND' ? requirement.Items! : [requirement])
    if (item.CheckFunction === 'CheckModelRule') check(RULES[item.ModelRuleId!]!, row, context, found);
    else if (!holds(item, row, context)) found.add(`${sentence} ${JSON.stringify(row)}`);
}

function applies({ Type, ApplicabilityCriteria, ValidationCriteria }: Rule, row: FocusRow, context: Context): boolean {
  const { Keyword: keyword, Condition: condition } = ValidationCriteria;
  return (
    Type === 'Static' &&
    keyword !== 'MAY' &&
    ApplicabilityCriteria.every((one) => context.criteria.has(one)) &&
    (condition.CheckFunction === undefined || holds(condition, row, context))
  );
}

function holds(one: Check, row: FocusRow, context: Context): boolean {
  const column = one.ColumnName ?? one.CheckCondition ?? '';
  const value = row[column] ?? null;
  const matches = (form: RegExp) => value === null || form.test(value);
  switch (one.CheckFunction) {
    case 'AND':
      return one.Items!.every((item) => holds(item, row, context));
    case 'OR':
      return one.Items!.some((item) => holds(item, row, context));
    case 'CheckModelRule': {
      const rule = RULES[one.ModelRuleId!]!;
      return !applies(rule, row, context) || holds(rule.ValidationCriteria.Requirement, row, context);
    }
    case 'ColumnPresent':
      return context.columns.has(column);
    case 'CheckValue':
      return value === one.Value;
    case 'CheckNotValue':
      return value !== one.Value;
    case 'CheckSameValue':
      return row[one.ColumnAName!] === row[one.ColumnBName!];
    case 'CheckNotSameValue':
      return row[one.ColumnAName!] !== row[one.ColumnBName!];
    case 'CheckDistinctCount':
      return partnersOf(one, context).get(String(row[one.ColumnAName!])) === one.ExpectedCount;
    case 'TypeString':
      return true;
    case 'FormatString':
      return matches(/^\S(?:.*\S)?$/su);
    case 'TypeDecimal':
    case 'FormatNumeric':
    case 'CheckDecimalValue':
      return matches(NUMERIC);
    case 'CheckGreaterOrEqualThanValue':
      return value === null || Number(value) >= Number(one.Value);
    case 'TypeDateTime':
    case 'FormatDateTime':
      return matches(DATE_TIME);
    case 'FormatUnit':
      return matches(/^(?:\d+ )?[A-Z][A-Za-z]*(?:[ /-][A-Z][A-Za-z]*)*$/);
    case 'FormatCurrency':
    case 'CheckNationalCurrency':
      return matches(/^[A-Z]{3}$/);
    case 'FormatKeyValue':
      return value === null || isKeyValue(value);
    default:
      throw new Error(`Unknown check ${one.CheckFunction}`);
  }
}

function partnersOf({ ColumnAName: one = '', ColumnBName: other = '' }: Check, context: Context) {
  const key = `${one} ${other}`;
  const known = context.partners.get(key);
  if (known !== undefined) return known;
  const groups = Map.groupBy(context.rows, (row) => String(row[one]));
  const counts = new Map([...groups].map(([name, rows]) => [name, new Set(rows.map((row) => row[other])).size]));
  context.partners.set(key, counts);
  return counts;
}

/** "E" without a plus sign is allowed. */
export const NUMERIC = /^-?\d+(?:\.\d+)?(?:E-?\d+)?$/;
export const DATE_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

/** A JSON object whose values are not objects. */
export function isKeyValue(text: string): boolean {
  const value: unknown = JSON.parse(text);
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((one) => typeof one !== 'object' || one === null)
  );
}
