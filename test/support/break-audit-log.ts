/** From now on no act of a subgraph can be recorded: what is done all the same would be in no audit log. */
import type { Database } from '#platform/database/open-database.ts';
import { withClient } from '#platform/database/prepare-database.ts';

export async function breakAuditLog({ target }: Database): Promise<void> {
  await withClient(target, (client) =>
    client.query("alter table audit_record add constraint broken check (act = '') not valid"),
  );
}
