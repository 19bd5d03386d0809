/**
 * Deletes data of deleted organizations in bounded steps. Each subgraph checks periodically, so that data restored
 * from a backup or still in flight is deleted too (decision 35).
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { graphql } from '#schema/graphql.ts';
import { askGateway } from '../ask-gateway.ts';
import { now } from '../clock.ts';
import type { Database } from '../database/open-database.ts';
import type { WriteTransaction } from '../database/transaction.ts';
import { liftTimeLimit } from '../database/sql.ts';
import type { GatewayClient } from '../gateway-client.ts';
import type { Job } from '../job-loop.ts';
import { servicePrincipal } from '../principal.ts';
import { randomUuid } from '../random.ts';
import { actorOf, insertAuditRecord, NO_ORGANIZATION } from './audit-record.ts';
import { deleteOrganizationRows, findOrganizationsWithRows } from './delete-organization-rows.ts';

const DELETED = graphql('query DeletedOrganizations($after: ID) { deletedOrganizations(after: $after) }');

const REST_MILLISECONDS = 60_000;
const ROWS_PER_STEP = 5_000;

interface Dependencies {
  readonly database: Database;
  readonly gateway: GatewayClient;
}

/** `except`: tables that are kept. */
export function deletedOrganizationsJob({ database, gateway }: Dependencies, except: readonly string[] = []): Job {
  let after: string | null = null;
  return {
    name: 'delete-organizations',
    restMilliseconds: REST_MILLISECONDS,
    async step() {
      const principal = servicePrincipal('deletion', randomUuid());
      const { deletedOrganizations: page } = await askGateway(gateway, DELETED, { after }, principal);
      const left = await findOrganizationsWithRows(database, page, except);
      const [first] = left;
      if (first !== undefined) return (await database.system((tx) => deleteSlice(tx, first))) > 0 ? 'more' : 'idle';
      after = page.at(-1) ?? null;
      return after === null ? 'idle' : 'more';
    },
  };

  async function deleteSlice(tx: WriteTransaction, organizationId: OrganizationId): Promise<number> {
    await liftTimeLimit(tx);
    const { rows } = await deleteOrganizationRows(tx, organizationId, ROWS_PER_STEP, except);
    await insertAuditRecord(tx, {
      organizationId: NO_ORGANIZATION,
      at: now(),
      action: 'organization.deleted',
      ...actorOf(servicePrincipal('deletion', randomUuid())),
      subjectId: organizationId,
      detail: `${rows} rows`,
    });
    return rows;
  }
}
