/**
 * Model aliases of an organization, such as Azure deployment names or names used by a router. Rows of the nil
 * organization apply to all organizations.
 */
import type { OrganizationId } from '#kernel/ids.ts';
import { defineEntity, p } from '@mikro-orm/core';
import { sql } from 'kysely';
import type { Transaction, WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { GLOBAL_TENANT } from '../config.ts';
import { rateTable } from './rate-table.ts';

export const ModelAliasTable = defineEntity({
  name: 'ModelAlias',
  tableName: 'model_alias',
  ...rateTable(),
  properties: {
    organizationId: p.uuid().primary(),
    /** The name as sent in events, in lower case. */
    name: p.text().primary(),
    /** Slug of the provider for which the alias applies; empty for any provider. */
    providerSlug: p.text().primary(),
    /** The provider's own name for the model. */
    model: p.text(),
    changedAt: p.datetime(3),
  },
});

export interface ModelAlias {
  readonly name: string;
  readonly providerSlug: string;
  readonly model: string;
}

export interface ListedModelAlias extends ModelAlias {
  readonly organizationId: OrganizationId;
  readonly changedAt: string;
}

const LIST_MODEL_ALIASES = statement(
  ({ globalTenant, organizationId }: Parameters<{ globalTenant: string; organizationId: OrganizationId }>) =>
    sql<ListedModelAlias>`
    select organization_id, name, provider_slug, model, changed_at::text from model_alias
    where organization_id in (${globalTenant}, ${organizationId}) order by name, provider_slug, organization_id`,
);

/** Aliases of the organization and standard ones, sorted by name. */
export function listModelAliases(tx: Transaction, organizationId: OrganizationId): Promise<ListedModelAlias[]> {
  return tx.all(LIST_MODEL_ALIASES, { globalTenant: GLOBAL_TENANT, organizationId });
}

/**
 * Aliases by name. An organization's alias takes precedence over a standard one, and an alias for one provider over
 * one for all.
 */
export async function findAliasesByName(
  tx: Transaction,
  organizationId: OrganizationId,
): Promise<ReadonlyMap<string, readonly ModelAlias[]>> {
  const aliases = (await listModelAliases(tx, organizationId)).toSorted(
    (one, other) =>
      Number(one.organizationId === GLOBAL_TENANT) - Number(other.organizationId === GLOBAL_TENANT) ||
      Number(one.providerSlug === '') - Number(other.providerSlug === ''),
  );
  return Map.groupBy(aliases, ({ name }) => name);
}

const SAVE_MODEL_ALIAS = statement(
  (input: Parameters<ModelAlias & { organizationId: OrganizationId; at: Date }>) => sql<object>`
    insert into model_alias (organization_id, name, provider_slug, model, changed_at)
    values (${input.organizationId}, ${input.name}, ${input.providerSlug}, ${input.model}, ${input.at})
    on conflict (organization_id, name, provider_slug) do update set model = excluded.model, changed_at = excluded.changed_at`,
);

export async function saveModelAlias(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { name, providerSlug, model }: ModelAlias,
  at: Date,
): Promise<void> {
  await tx.run(SAVE_MODEL_ALIAS, { organizationId, name, providerSlug, model, at });
}

const DELETE_MODEL_ALIAS = statement(
  (input: Parameters<Omit<ModelAlias, 'model'> & { organizationId: OrganizationId }>) => sql<{ model: string }>`
    delete from model_alias where organization_id = ${input.organizationId} and name = ${input.name}
      and provider_slug = ${input.providerSlug} returning model`,
);

/** Returns true if the alias existed. */
export async function deleteModelAlias(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  { name, providerSlug }: Omit<ModelAlias, 'model'>,
): Promise<boolean> {
  return (await tx.all(DELETE_MODEL_ALIAS, { organizationId, name, providerSlug })).length > 0;
}
