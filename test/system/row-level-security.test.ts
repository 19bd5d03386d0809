/**
 * Every tenant table of every subgraph, present and future: the serving role reads and changes only rows of its own
 * organization. A statement that omits the organization must not reach other organizations' rows.
 */
import { randomUUID } from 'node:crypto';
import { describe, expect, it, onTestFinished } from 'vitest';
import { withClient } from '#platform/database/prepare-database.ts';
import { query } from '#platform/database/sql.ts';
import { TENANT_TABLES } from '#platform/database/tenant-table.ts';
import { definitions } from '../../start/definitions.ts';
import { freshDatabase, isOnNodes } from '../support/fresh-database.ts';

interface Column {
  readonly name: string;
  readonly type: string;
}

/** Any value of a type, since the test does not depend on the rows' content. */
function valueOf({ name, type }: Column): string {
  if (name === 'organization_id') return '$1';
  if (type.endsWith('[]')) return `'{}'::${type}`;
  if (type === 'uuid') return 'gen_random_uuid()';
  if (type.startsWith('timestamp') || type === 'date') return `now()::${type}`;
  if (type === 'jsonb' || type === 'json') return `'{}'::${type}`;
  if (type === 'bytea') return "decode(md5(random()::text), 'hex')";
  if (type === 'boolean') return 'false';
  if (/^(smallint|integer|bigint|numeric|real|double|xid8)/.test(type)) return `'1'::${type}`;
  return `md5(random()::text)::${type}`;
}

describe.skipIf(isOnNodes()).each(definitions.map((definition) => [definition.name, definition] as const))(
  '%s',
  (_, definition) => {
    it('shows an organization no rows of another one, and lets it change none', async () => {
      const database = await freshDatabase(definition);
      onTestFinished(() => database.close());
      const [mine, theirs] = [randomUUID(), randomUUID()];
      const tables = await withClient(database.target, async (client) => {
        const { rows: constraints } = await client.query(
          `select format('alter table %s drop constraint %I cascade', conrelid::regclass, conname) as text
             from pg_constraint where contype in ('c', 'f') and conrelid in (select table_id from ${TENANT_TABLES})
              and conparentid = 0 and coninhcount = 0`,
        );
        for (const { text } of constraints) await client.query(text);
        const { rows } = await client.query(`select name from ${TENANT_TABLES} order by name`);
        for (const { name } of rows) {
          await client.query(`delete from ${name}`);
          const { rows: columns } = await client.query(
            `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
              where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' and attidentity = ''
                and (attname = 'organization_id' or (attnotnull and not atthasdef))`,
            [name],
          );
          const names = columns.map((column: Column) => `"${column.name}"`).join(', ');
          const values = columns.map((column: Column) => valueOf(column)).join(', ');
          for (const organization of [mine, theirs])
            await client.query(`insert into ${name} (${names}) values (${values})`, [organization]);
        }
        return rows.map(({ name }) => String(name));
      });
      expect(tables).toContain('audit_record');
      for (const table of tables) {
        const seen = await database.write(mine, (tx) =>
          query<{ organizationId: string }>(tx, `select organization_id from ${table}`),
        );
        expect([table, seen.map(({ organizationId }) => organizationId)]).toEqual([table, [mine]]);
        for (const change of [
          `update ${table} set organization_id = organization_id where organization_id = '${theirs}' returning 1`,
          `delete from ${table} where organization_id = '${theirs}' returning 1`,
        ]) {
          const changed = await database
            .write(mine, (tx) => query(tx, change))
            .catch((error: Error) => (/permission denied/.test(error.message) ? [] : Promise.reject(error)));
          expect([change, changed]).toEqual([change, []]);
        }
        await database
          .write(mine, (tx) => query(tx, `update ${table} set organization_id = '${theirs}'`))
          .catch((error: Error) => expect(error.message).toMatch(/row-level security|permission denied/));
        const rows = await database.system((tx) =>
          query(tx, `select 1 from ${table} where organization_id = '${theirs}'`),
        );
        expect([table, rows]).toHaveProperty('[1].length', 1);
      }
    });
  },
);
