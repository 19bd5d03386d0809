/** The lines of the newest pull of each day and part. Earlier pulls keep only their bytes. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import { money, quantity } from '#kernel/money.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';
import type { TokenClass } from '#schema/token-classes.ts';
import { LINES_PER_STATEMENT } from '../config.ts';
import type { BillLine, BillPart, LineKind } from '../lines/bill-line.ts';

const amount = () => p.decimal().columnType('numeric').nullable();

export const BillLineTable = defineEntity({
  name: 'BillLine',
  tableName: 'bill_line',
  ...tenantTable('reconciliation'),
  properties: {
    organizationId: p.uuid().primary(),
    connectionId: p.uuid().primary(),
    day: p.date().primary(),
    part: p.text().primary(),
    /** Position among the lines of the day and part. */
    position: p.integer().primary(),
    pullId: p.uuid(),
    lastDay: p.date(),
    label: p.text(),
    provider: p.text(),
    kind: p.text(),
    /** Null if no rule reads the label; then all fields of the meaning are null. */
    ruleId: p.text().nullable(),
    isVerified: p.boolean(),
    model: p.text().nullable(),
    tokenClass: p.text().nullable(),
    context: p.text().nullable(),
    unit: p.text().nullable(),
    quantity: amount(),
    list: amount(),
    discount: amount(),
    credit: amount(),
    tax: amount(),
    net: amount(),
    currency: p.text(),
    scopes: p.array(),
    digits: p.integer(),
    rowCount: p.integer(),
  },
  indexes: [{ name: 'bill_line_day_index', properties: ['organizationId', 'day'] }],
});

interface StoredLine {
  readonly connectionId: string;
  readonly day: string;
  readonly lastDay: string;
  readonly part: BillPart;
  readonly label: string;
  readonly provider: string;
  readonly kind: LineKind;
  readonly ruleId: string | null;
  readonly isVerified: boolean;
  readonly model: string | null;
  readonly tokenClass: TokenClass | null;
  readonly context: string | null;
  readonly unit: string | null;
  readonly quantity: string | null;
  readonly list: string | null;
  readonly discount: string | null;
  readonly credit: string | null;
  readonly tax: string | null;
  readonly net: string | null;
  readonly currency: string;
  readonly scopes: readonly string[];
  readonly digits: number;
  readonly rowCount: number;
}

const INSERT = statement(
  (input: Parameters<{ organizationId: OrganizationId; connectionId: string; pullId: string; json: string }>) =>
    sql<object>`
      insert into bill_line (organization_id, connection_id, pull_id, day, last_day, part, position, label, provider, kind,
        rule_id, is_verified, model, token_class, context, unit, quantity, list, discount, credit, tax, net, currency,
        scopes, digits, row_count)
      select ${input.organizationId}, ${input.connectionId}, ${input.pullId}, day, "lastDay", part, position, label, provider,
        kind, "ruleId", "isVerified", model, "tokenClass", context, unit, quantity, list, discount, credit, tax, net,
        currency, array(select jsonb_array_elements_text(scopes)), digits, "rowCount"
      from jsonb_to_recordset(${input.json}::text::jsonb) as given (day date, "lastDay" date, part text, position int,
        label text, provider text, kind text, "ruleId" text, "isVerified" boolean, model text, "tokenClass" text,
        context text, unit text, quantity numeric, list numeric, discount numeric, credit numeric, tax numeric,
        net numeric, currency text, scopes jsonb, digits int, "rowCount" int)`,
);

const DELETE_DAYS = statement(
  (
    input: Parameters<{ organizationId: OrganizationId; connectionId: string; days: readonly string[]; part: string }>,
  ) =>
    sql<object>`delete from bill_line where organization_id = ${input.organizationId}
      and connection_id = ${input.connectionId} and part = ${input.part} and day = any(${input.days}::date[])`,
);

/** Replaces the lines of the days and parts that a pull contains. */
export async function replaceLines(
  tx: Transaction,
  pull: { readonly organizationId: OrganizationId; readonly connectionId: string; readonly id: string },
  days: readonly { readonly day: string; readonly part: BillPart; readonly lines: readonly BillLine[] }[],
): Promise<void> {
  const { organizationId, connectionId, id: pullId } = pull;
  for (const [part, ofPart] of Map.groupBy(days, (day) => day.part))
    await tx.run(DELETE_DAYS, { organizationId, connectionId, part, days: ofPart.map(({ day }) => day) });
  const insert = (lines: readonly object[]) =>
    tx.run(INSERT, { organizationId, connectionId, pullId, json: JSON.stringify(lines) });
  let batch: object[] = [];
  for (const { lines } of days)
    for (const [position, line] of lines.entries()) {
      if (batch.push(toStored(line, position)) < LINES_PER_STATEMENT) continue;
      await insert(batch);
      batch = [];
    }
  if (batch.length > 0) await insert(batch);
}

function toStored(line: BillLine, position: number): Omit<StoredLine, 'connectionId'> & { readonly position: number } {
  const { meaning } = line;
  return {
    day: line.day,
    lastDay: line.lastDay,
    part: line.part,
    position,
    label: line.label,
    provider: line.provider,
    kind: line.kind,
    ruleId: meaning?.rule ?? null,
    isVerified: meaning?.verified ?? false,
    model: meaning?.model ?? null,
    tokenClass: meaning?.tokenClass ?? null,
    context: meaning?.context ?? null,
    unit: meaning?.unit ?? null,
    quantity: line.quantity?.toFixed() ?? null,
    list: line.list?.toFixed() ?? null,
    discount: line.discount?.toFixed() ?? null,
    credit: line.credit?.toFixed() ?? null,
    tax: line.tax?.toFixed() ?? null,
    net: line.net?.toFixed() ?? null,
    currency: line.currency,
    scopes: line.scopes,
    digits: line.digits,
    rowCount: line.rows,
  };
}

const LIST = statement(
  (
    input: Parameters<{
      organizationId: OrganizationId;
      from: string;
      until: string;
      connectionId: string | null;
      max: number;
    }>,
  ) =>
    sql<StoredLine>`select connection_id, day::text as day, last_day::text as last_day, part, label, provider, kind, rule_id,
        is_verified, model, token_class, context, unit, quantity::text as quantity, list::text as list,
        discount::text as discount, credit::text as credit, tax::text as tax, net::text as net, currency, scopes, digits, row_count
      from bill_line where organization_id = ${input.organizationId} and day < ${input.until}::date and last_day >= ${input.from}::date
        and (${input.connectionId}::uuid is null or connection_id = ${input.connectionId})
      order by connection_id, day, part, position limit ${input.max}`,
);

/** Lines that overlap a half-open range of days, by connection. */
export async function listLines(
  tx: Transaction,
  input: { organizationId: OrganizationId; from: string; until: string; connectionId: string | null; max: number },
): Promise<Map<string, BillLine[]>> {
  const byConnection = new Map<string, BillLine[]>();
  for (const stored of await tx.all(LIST, input)) {
    const lines = byConnection.get(stored.connectionId) ?? [];
    lines.push(fromStored(stored));
    byConnection.set(stored.connectionId, lines);
  }
  return byConnection;
}

const amountOf = (text: string | null) => (text === null ? null : money(text));

function fromStored(line: StoredLine): BillLine {
  return {
    day: line.day,
    lastDay: line.lastDay,
    part: line.part,
    label: line.label,
    provider: line.provider,
    kind: line.kind,
    meaning:
      line.ruleId === null
        ? null
        : {
            rule: line.ruleId,
            verified: line.isVerified,
            kind: line.kind,
            model: line.model,
            tokenClass: line.tokenClass,
            context: line.context ?? '',
            unit: line.unit,
            per: 1,
          },
    quantity: line.quantity === null ? null : quantity(line.quantity),
    list: amountOf(line.list),
    discount: amountOf(line.discount),
    credit: amountOf(line.credit),
    tax: amountOf(line.tax),
    net: amountOf(line.net),
    currency: line.currency,
    scopes: line.scopes,
    digits: line.digits,
    rows: line.rowCount,
  };
}
