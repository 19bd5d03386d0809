/** Second factors: the sealed TOTP secret of an account user. One that is not confirmed asks for nothing yet. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '../../../../platform/database/open-database.ts';
import { query } from '../../../../platform/database/sql.ts';
import { tenantTable } from '../../../../platform/database/tenant-table.ts';

export const SecondFactorTable = defineEntity({
  name: 'SecondFactor',
  tableName: 'second_factor',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    accountUserId: p.uuid().primary(),
    /** The TOTP secret sealed with AES-256-GCM, bound to the account user. */
    sealed: p.blob(),
    createdAt: p.datetime(3),
    confirmedAt: p.datetime(3).nullable(),
    /** The last time step whose code was taken: none is taken twice. */
    lastStep: p.integer(),
  },
});

export type SecondFactor = InferEntity<typeof SecondFactorTable>;

export function findSecondFactor(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
): Promise<SecondFactor | null> {
  return em.findOne(SecondFactorTable, { organizationId, accountUserId });
}

/** Begins or begins again; `false` when one is on already. */
export async function offerSecondFactor(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
  sealed: Buffer,
  now: Date,
): Promise<boolean> {
  const rows = await query(
    em,
    `
    insert into second_factor (organization_id, account_user_id, sealed, created_at, last_step) values ($1, $2, $3, $4, 0)
    on conflict (organization_id, account_user_id) do update set sealed = excluded.sealed, created_at = excluded.created_at, last_step = 0
     where second_factor.confirmed_at is null
    returning 1`,
    [organizationId, accountUserId, sealed, now],
  );
  return rows.length === 1;
}

/** Takes the code of a time step: once, and never one older than the last. */
export async function takeStep(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
  step: number,
): Promise<boolean> {
  return (
    (await em.nativeUpdate(
      SecondFactorTable,
      { organizationId, accountUserId, lastStep: { $lt: step } },
      { lastStep: step },
    )) === 1
  );
}

export async function confirmOffer(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
  now: Date,
): Promise<boolean> {
  return (
    (await em.nativeUpdate(
      SecondFactorTable,
      { organizationId, accountUserId, confirmedAt: null },
      { confirmedAt: now },
    )) === 1
  );
}

export async function deleteSecondFactor(
  em: EntityManager,
  organizationId: string,
  accountUserId: string,
): Promise<void> {
  await em.nativeDelete(SecondFactorTable, { organizationId, accountUserId });
}

export async function deleteOldOffers(em: EntityManager, before: Date): Promise<void> {
  await query(em, 'delete from second_factor where confirmed_at is null and created_at < $1', [before]);
}
