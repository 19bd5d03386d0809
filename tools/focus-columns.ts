/** The columns of FOCUS 1.2 and 1.4 in one table, from the published models in `schema/focus/`. */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const HEADING = `// Made by \`npm run generate\` from the models in this folder. Do not edit. FOCUS™, © the FinOps Foundation: see README.md.

/** The columns of the dataset "Cost and Usage", by name. A version without the column is missing from \`versions\`. */
export const FOCUS_COLUMNS = `;

type Level = 'mandatory' | 'recommended' | 'conditional' | 'optional';
type Type = 'text' | 'decimal' | 'instant' | 'json';

interface Facts {
  readonly type: Type;
  readonly level: Level;
  readonly isNullable: boolean;
}

export function focusColumns(root: URL): string {
  const read = (name: string) => readFileSync(new URL(`schema/focus/${name}`, root));
  const [older, newer] = [
    columnsOfRules(JSON.parse(gunzipSync(read('focus-1-2.json.gz')).toString()) as Rules),
    columnsOfModel(JSON.parse(read('focus-1-4.json').toString()) as Model),
  ];
  const lines = [...new Set([...older.keys(), ...newer.keys()])].sort().map((name) => {
    const [one, other] = [older.get(name), newer.get(name)];
    const { type } = other ?? one!;
    if (one !== undefined && one.type !== type) throw new Error(`${name}: 1.2 says ${one.type}, 1.4 says ${type}`);
    const versions = [
      ...(one === undefined ? [] : [`'1.2': ${print(one)}`]),
      ...(other === undefined ? [] : [`'1.4': ${print(other)}`]),
    ].join(', ');
    return `  ${name}: { type: '${type}', versions: { ${versions} } },`;
  });
  return `${HEADING}{\n${lines.join('\n')}\n} as const;\n\nexport type FocusColumn = keyof typeof FOCUS_COLUMNS;\n`;
}

function print({ level, isNullable }: Facts): string {
  return `{ level: '${level}', isNullable: ${isNullable} }`;
}

interface Rule {
  readonly Function: string;
  readonly Reference: string;
  readonly ApplicabilityCriteria: readonly string[];
  readonly ValidationCriteria: {
    readonly Keyword: string;
    readonly Condition: object;
    readonly Requirement: { readonly CheckFunction?: string; readonly ColumnName?: string; readonly Value?: unknown };
  };
}

interface Rules {
  readonly ModelRules: Readonly<Record<string, Rule>>;
}

const TYPES_OF_CHECKS: Readonly<Record<string, Type>> = {
  TypeString: 'text',
  TypeDecimal: 'decimal',
  TypeDateTime: 'instant',
  FormatKeyValue: 'json',
};

/** Each column of 1.2 has a rule about its presence, one about its type, and perhaps one that forbids null. */
function columnsOfRules({ ModelRules }: Rules): Map<string, Facts> {
  const rules = Object.values(ModelRules).map((rule) => ({ ...rule, check: rule.ValidationCriteria.Requirement }));
  return new Map(
    rules
      .filter((rule) => rule.Function === 'Presence')
      .map(({ check: { ColumnName: name = '' }, ApplicabilityCriteria: criteria, ValidationCriteria: { Keyword } }) => {
        const own = rules.filter(({ Reference, check }) => Reference === name && check.ColumnName === name);
        const type = own.map(({ check }) => TYPES_OF_CHECKS[check.CheckFunction ?? '']).find(Boolean);
        if (type === undefined) throw new Error(`FOCUS 1.2 states no type of ${name}`);
        // A column whose rules allow both "is null" and "is not null" is nullable.
        const always = (keyword: string, check: string) =>
          own.some(
            (rule) =>
              rule.check.CheckFunction === check &&
              rule.check.Value === null &&
              rule.ApplicabilityCriteria.length === 0 &&
              rule.ValidationCriteria.Keyword === keyword &&
              Object.keys(rule.ValidationCriteria.Condition).length === 0,
          );
        const isNullable = always('MUST', 'CheckValue') || !always('MUST NOT', 'CheckNotValue');
        return [name, { type, level: levelOf(Keyword, criteria), isNullable }];
      }),
  );
}

function levelOf(keyword: string, criteria: readonly string[]): Level {
  if (keyword === 'MAY') return 'optional';
  if (criteria.length > 0) return 'conditional';
  return keyword === 'MUST' ? 'mandatory' : 'recommended';
}

interface ModelColumn {
  readonly data_type: string;
  readonly feature_level: string;
  readonly allows_nulls: boolean;
}

const TYPES_OF_MODEL: Readonly<Record<string, Type>> = {
  String: 'text',
  Decimal: 'decimal',
  'Date/Time': 'instant',
  JSON: 'json',
};

interface Model {
  readonly datasets: { readonly 'Cost and Usage': { readonly columns: Readonly<Record<string, ModelColumn>> } };
}

function columnsOfModel({ datasets }: Model): Map<string, Facts> {
  return new Map(
    Object.entries(datasets['Cost and Usage'].columns).map(([name, column]) => {
      const type = TYPES_OF_MODEL[column.data_type];
      if (type === undefined) throw new Error(`Unknown type ${column.data_type} of ${name} in FOCUS 1.4`);
      return [name, { type, level: column.feature_level.toLowerCase() as Level, isNullable: column.allows_nulls }];
    }),
  );
}
