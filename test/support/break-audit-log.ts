/** Makes a subgraph's audit log unwritable: an action that succeeds anyway would be missing from it. */
import type { Database } from '#platform/database/open-database.ts';
import { withClient } from '#platform/database/prepare-database.ts';

export async function breakAuditLog({ target }: Database): Promise<void> {
  await withClient(target, (client) =>
    client.query("alter table audit_record add constraint broken check (act = '') not valid"),
  );
}
