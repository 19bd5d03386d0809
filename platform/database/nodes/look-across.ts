/** Scans the rows of all organizations for work. An unreachable node affects only its own organizations. */
import type { OrganizationId } from '#kernel/ids.ts';
import pg from 'pg';
import { unavailability } from '../../unavailability.ts';
import type { Database } from '../open-database.ts';
import type { WriteTransaction } from '../transaction.ts';
import { camelCaseRows } from '../camel-case.ts';
import { liftTimeLimit, query } from '../sql.ts';
import { isDistributed } from './distribution.ts';

export interface Look<Row> {
  /** One tenant table, or two that are colocated by organization. */
  readonly tables: readonly [string] | readonly [string, string];
  /** A statement that reads the tables. On several nodes it also runs on each shard, whose tables have other names. */
  readonly text: (table: string, other: string) => string;
  readonly parameters: readonly (string | number | null | readonly string[])[];
  /** Default false: the statement must finish within the usual timeout. */
  readonly takesLong?: boolean;
  /** Sort order. */
  readonly compare: (one: Row, other: Row) => number;
}

export interface Found<Row> {
  readonly rows: Row[];
  /** Why rows of a node are missing; null if none are. */
  readonly away: Error | null;
}

/** Rows with text, number or boolean values. Rows of unreachable nodes are missing. */
export async function lookAcross<Row>(database: Database, look: Look<Row>): Promise<Row[]> {
  return (await findAcross(database, look)).rows;
}

/** Like `lookAcross`, with the reason if rows may be missing. */
export async function findAcross<Row>(database: Database, look: Look<Row>): Promise<Found<Row>> {
  const isOnNodes = isDistributed(database.orm);
  if (!isOnNodes && !look.takesLong)
    return { rows: await database.lookUps.list(textOf(look), look.parameters), away: null };
  try {
    const rows = await database.system(async (tx) => {
      if (look.takesLong) await liftTimeLimit(tx);
      return lookIn<Row>(tx, look);
    });
    return { rows, away: null };
  } catch (error) {
    if (!isOnNodes || unavailability(error)?.state !== 'unreachable') throw error;
    return { rows: await lookAtParts(database, look), away: error as Error };
  }
}

/** Like `lookAcross`, inside the caller's transaction; fails if a node is unreachable. */
export function lookIn<Row>(tx: WriteTransaction, look: Look<Row>): Promise<Row[]> {
  return query<Row>(tx, textOf(look), look.parameters);
}

/** The statement that reads the whole tables. */
function textOf<Row>({ tables: [table, other = table], text }: Look<Row>): string {
  return text(table, other);
}

async function lookAtParts<Row>(database: Database, look: Look<Row>): Promise<Row[]> {
  const [table, other] = look.tables;
  // Table names are `format` placeholders; a literal percent sign is doubled.
  const [first, second] = ['the first table', 'the second table'];
  const text = withValues(look.text(first, second), look.parameters)
    .replaceAll('%', '%%')
    .replaceAll(first, '%1$s')
    .replaceAll(second, '%2$s');
  const command = `select json_agg(found) from (${text}) as found`;
  const parts = await database.system(async (tx) => {
    if (look.takesLong) await liftTimeLimit(tx);
    return other === undefined
      ? query<{ result: string | null }>(tx, 'select result from run_command_on_shards($1, $2) where success', [
          table,
          command,
        ])
      : query<{ result: string | null }>(
          tx,
          'select result from run_command_on_colocated_placements($1, $2, $3) where success',
          [table, other, command],
        );
  });
  const rows = parts.flatMap(({ result }) => (result ? camelCaseRows<Row>(JSON.parse(result) as object[]) : []));
  return rows.toSorted((one, another) => look.compare(one, another));
}

/** The command takes no parameters. */
function withValues(text: string, parameters: Look<unknown>['parameters']): string {
  return text.replaceAll(/\$(\d+)/g, (_, number: string) => literal(parameters[Number(number) - 1]));
}

function literal(value: Look<unknown>['parameters'][number] | undefined): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return `array[${value.map((each) => pg.escapeLiteral(each as string)).join(', ')}]`;
  return typeof value === 'number' ? String(value) : pg.escapeLiteral(String(value));
}

/** A `compare` that sorts by organization id. */
export function byOrganization(
  one: { readonly organizationId: OrganizationId },
  other: { readonly organizationId: OrganizationId },
): number {
  return one.organizationId < other.organizationId ? -1 : 1;
}

/** A `compare` that puts organizations after the given one first. */
export function inTurn(after: string) {
  return (
    one: { readonly organizationId: OrganizationId },
    other: { readonly organizationId: OrganizationId },
  ): number => {
    const [isBefore, otherIsBefore] = [one.organizationId <= after, other.organizationId <= after];
    if (isBefore !== otherIsBefore) return isBefore ? 1 : -1;
    return byOrganization(one, other);
  };
}
