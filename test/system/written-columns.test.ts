/** The statements that insert, replace or change rows give every column its own value. */
import { describe, expect, it } from 'vitest';
import { projectFiles, projectText } from '../support/project-files.ts';

interface Upsert {
  /** Inserted columns that an existing row keeps. */
  readonly kept?: readonly string[];
  /** Columns of an existing row that do not just get the new value. */
  readonly changed?: Readonly<Record<string, string>>;
}

const sums = (row: string, ...columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, `${row}.${column} + excluded.${column}`]));
const reported = (...columns: readonly string[]) =>
  Object.fromEntries(columns.map((column) => [column, `coalesce(excluded.${column}, known.${column})`]));

/** Upserts that do not replace every column. All others do. */
const UPSERTS: Readonly<Record<string, Upsert>> = {
  alert_rule: { kept: ['kind', 'is_built_in', 'created_at', 'created_by'] },
  allocation_entry: {
    kept: ['booked_day', 'recorded_at'],
    changed: sums('entry', 'measure', 'amount', 'replaced_cost'),
  },
  allowance_period: { changed: sums('p', 'held', 'open_holds', 'spent') },
  // Only the name, so that the statement returns the id of the existing row.
  bill_connection: {
    kept: ['id', 'untracked_scopes', 'settle_hours', 'created_at', 'updated_at', 'failures'],
    changed: { name: 'excluded.name' },
  },
  bill_day: { changed: { has_changed: 'known.digest <> excluded.digest' } },
  book_difference: { kept: ['since'] },
  book_state: { changed: { round_at: 'coalesce(excluded.round_at, book_state.round_at)' } },
  changed_day: { kept: ['since'] },
  charge: { changed: reported('settled_currency', 'settled_rate', 'settled_at') },
  commitment: { kept: ['computed_revision'] },
  commitment_day: { changed: { is_computed: 'commitment_day.is_computed and commitment_day.spent = excluded.spent' } },
  conversion_queue: { changed: { after_invoice: "''" } },
  cost_hour: { changed: sums('h', 'completed', 'failed', 'pending_rate_card', 'total_cost', 'quantity') },
  customer: {
    changed: {
      ...reported('created_at'),
      name: 'case when excluded.deleted or known.erased_at is not null then known.name else excluded.name end',
      metadata_external_id:
        'case when excluded.deleted or known.erased_at is not null or known.metadata_external_id ~ ${PSEUDONYM.source} ' +
        'then known.metadata_external_id else excluded.metadata_external_id end',
    },
  },
  end_user: { kept: ['external_id'] },
  feed_head: { changed: { ...sums('head', 'number'), previous_token: 'head.token', is_ahead: 'true' } },
  fixed_cost: { kept: ['key'] },
  metadata_retention: { kept: ['done_until'] },
  pending_day: { kept: ['arrival'], changed: sums('kept', 'facts') },
  provider_credit: { kept: ['burnt_revision'] },
  provider_credit_day: {
    changed: { is_burnt: 'provider_credit_day.is_burnt and provider_credit_day.costs = excluded.costs' },
  },
  reduction: {
    kept: ['kind'],
    changed: reported('invoice_id', 'gross_minor', 'settled_currency', 'settled_rate', 'settled_at'),
  },
  refused_fact: { kept: ['refused_at'] },
  rolled_key: {
    changed: {
      state: "'clearing'",
      unswept: 'false',
      boundary: 'null',
      cursor_time: 'null',
      cursor_event_id: 'null',
      cursor_sequence: 'null',
    },
  },
  set_aside_object: { kept: ['first_seen_at'] },
  // A change of the channels does not move the next statement.
  statement_schedule: { kept: ['period_start', 'due_at'] },
  subscription: { changed: reported('created_at') },
  sync_cursor: { changed: { newest_seen: 'greatest(known.newest_seen, excluded.newest_seen)' } },
  telemetry_source: {
    kept: ['first_seen_at'],
    changed: {
      ...sums('telemetry_source', 'count'),
      last_seen_at: 'greatest(telemetry_source.last_seen_at, excluded.last_seen_at)',
    },
  },
  unknown_field: {
    kept: ['first_seen_at'],
    changed: {
      ...sums('unknown_field', 'events'),
      last_seen_at: 'greatest(unknown_field.last_seen_at, excluded.last_seen_at)',
    },
  },
};

/** Upserts whose columns are a list in the code, or which only count. Their own tests check them. */
const OTHER_UPSERTS = [
  'charge_day',
  'end_user_day',
  'end_user_model_day',
  'end_user_month',
  'feed_acknowledgement',
  'outcome',
  'rollup_day',
  'rollup_hour',
  'throttle',
];

/** Columns whose value has the name of another column, by table. */
const OTHER_NAMES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // A refused hold is closed when it is opened.
  hold: { closed_at: 'case when not :allowed then :openedAt::timestamptz end' },
  reduction: { settled_currency: "given->'settlement'->>'currency'" },
};

interface Statement {
  readonly table: string;
  readonly columns: readonly string[];
  readonly text: string;
}

const sources = ['subgraphs/', 'platform/'].flatMap((folder) =>
  projectFiles(folder)
    .filter((path) => path.endsWith('.ts') && !path.includes('/migrations/'))
    .map(projectText),
);

const inserts: readonly Statement[] = sources.flatMap((source) => {
  const starts = [...source.matchAll(/\binsert into (\w+)(?: as \w+)? \(([^()]*)\)/g)];
  return starts.map(({ index, 0: start, 1: table = '', 2: columns = '' }, position) => ({
    table,
    columns: splitList(columns),
    text: source.slice(index + start.length, starts[position + 1]?.index).replaceAll(/\s+/g, ' '),
  }));
});

/** Splits at commas outside of brackets, up to the first bracket that closes more than was opened. */
function splitList(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if ('([{'.includes(character)) depth += 1;
    if (')]}'.includes(character)) depth -= 1;
    if (depth < 0) break;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.replaceAll(/\s+/g, ' ').trim());
}

const camelCase = (column: string) => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
/** Without conditions, types, and lengths of values. */
const namesIn = (value: string): readonly string[] =>
  value.replaceAll(/\bcase when .*? then\b|::\w+|octet_length\(.*\)/g, '').match(/[A-Za-z_]\w*/g) ?? [];

/** A value that names another column of the statement, and not its own. */
function isOfAnotherColumn(column: string, value: string, columns: readonly string[]): boolean {
  const names = namesIn(value);
  const isNamed = (other: string) => names.includes(other) || names.includes(camelCase(other));
  return !isNamed(column) && columns.some((other) => isNamed(other));
}

describe('upserts', () => {
  const upserts = inserts.flatMap(({ table, columns, text }) => {
    const [, key, changes] =
      /\bon conflict ?\(([^()]*)\) do update set (.*?)(?= where\b| returning\b|`|'\)?;|$)/.exec(text) ?? [];
    if (key === undefined || changes === undefined || OTHER_UPSERTS.includes(table)) return [];
    return [{ table, columns: columns.filter((column) => !splitList(key).includes(column)), changes }];
  });

  it('are all found', () => {
    expect(upserts.length).toBeGreaterThan(40);
    expect(Object.keys(UPSERTS).filter((name) => !upserts.some(({ table }) => table === name))).toEqual([]);
  });

  it.each(upserts)('$table', ({ table, columns, changes }) => {
    const { kept = [], changed = {} } = UPSERTS[table] ?? {};
    const replaced = columns.filter((column) => !kept.includes(column) && changed[column] === undefined);
    expect(
      Object.fromEntries(
        splitList(changes).map((change) => {
          const [, column = '', value = ''] = /^(\w+) = (.*)$/.exec(change) ?? [];
          return [column, value.replace(/ (?=\))/, '')];
        }),
      ),
    ).toEqual({ ...Object.fromEntries(replaced.map((column) => [column, `excluded.${column}`])), ...changed });
  });
});

describe('inserted values', () => {
  const lists = inserts.flatMap(({ table, columns, text }) => {
    const [, verb, values] = /^ (values \(|select )(.*)$/.exec(text) ?? [];
    if (verb === undefined || values === undefined) return [];
    const parts = splitList(verb === 'select ' ? values.replace(/ from .*| on conflict.*/, '') : values);
    // A shorter list contains rows of a subquery.
    return parts.length < columns.length ? [] : [{ table, columns, values: parts }];
  });

  it('are found for most inserts', () => {
    expect(lists.length).toBeGreaterThan(70);
  });

  it.each(lists)('$table', ({ table, columns, values }) => {
    const expected = OTHER_NAMES[table] ?? {};
    expect(
      columns.flatMap((column, index) => {
        const value = values[index] ?? '';
        return isOfAnotherColumn(column, value, columns) && expected[column] !== value ? [`${column}: ${value}`] : [];
      }),
    ).toEqual([]);
  });
});

it('a changed column gets its own value', () => {
  const updates = sources.flatMap((source) =>
    [...source.matchAll(/\bupdate (\w+)(?: as \w+| \w+)? set ([^;]*?)(?=\s(?:where|from|returning)\b|`)/g)].map(
      ({ 1: table = '', 2: changes = '' }) => ({
        table,
        changes: splitList(changes).map((change) => /^(\w+) = (.*)$/.exec(change) ?? []),
      }),
    ),
  );
  expect(updates.length).toBeGreaterThan(60);
  expect(
    updates.flatMap(({ table, changes }) =>
      changes.flatMap(([change, column = '', value = '']) =>
        isOfAnotherColumn(
          column,
          value,
          changes.map(([, other = '']) => other),
        )
          ? [`${table}: ${change}`]
          : [],
      ),
    ),
  ).toEqual([]);
});
