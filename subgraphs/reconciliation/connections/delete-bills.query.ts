/** Deletes the bills of a connection and the decisions about them. */
import type { OrganizationId } from '#kernel/ids.ts';
import type { Transaction } from '#platform/database/transaction.ts';
import { sql } from 'kysely';
import { type Parameters, statement } from '#platform/database/statement.ts';

const TABLES = ['bill_fix', 'bill_line', 'bill_day', 'bill_pull_part', 'bill_pull'] as const;

const DELETES = TABLES.map((table) =>
  statement(
    (input: Parameters<{ organizationId: OrganizationId; connectionId: string }>) =>
      sql<object>`delete from ${sql.table(table)} where organization_id = ${input.organizationId} and connection_id = ${input.connectionId}`,
  ),
);

export async function deleteBills(
  tx: Transaction,
  input: { readonly organizationId: OrganizationId; readonly connectionId: string },
): Promise<void> {
  for (const one of DELETES) await tx.run(one, input);
}
