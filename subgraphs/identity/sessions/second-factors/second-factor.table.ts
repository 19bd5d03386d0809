/** Second factors: the sealed TOTP secret of an account user. An unconfirmed factor is not required at sign-in yet. */
import type { AccountUserId, OrganizationId } from '#kernel/ids.ts';
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { WriteTransaction } from '#platform/database/transaction.ts';
import { type Parameters, statement } from '#platform/database/statement.ts';
import { tables } from '#platform/database/tables.ts';
import { tenantTable } from '#platform/database/tenant-table.ts';

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
    /** The last time step whose code was used: no code is accepted twice. */
    lastStep: p.integer(),
  },
});

export type SecondFactor = InferEntity<typeof SecondFactorTable>;

const db = tables<typeof SecondFactorTable>();

export function findSecondFactor(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<SecondFactor | null> {
  return tx.em.findOne(SecondFactorTable, { organizationId, accountUserId });
}

type OfferInput = Parameters<{
  organizationId: OrganizationId;
  accountUserId: AccountUserId;
  sealed: Buffer;
  now: Date;
}>;

const OFFER = statement(({ organizationId, accountUserId, sealed, now }: OfferInput) =>
  db
    .insertInto('secondFactor')
    .values({ organizationId, accountUserId, sealed, createdAt: now, lastStep: 0 })
    .onConflict((conflict) =>
      conflict
        .columns(['organizationId', 'accountUserId'])
        .doUpdateSet({ sealed, createdAt: now, lastStep: 0 })
        .where('secondFactor.confirmedAt', 'is', null),
    )
    .returning('accountUserId'),
);

/** Starts or restarts the setup; returns `false` if a factor is already on. */
export async function offerSecondFactor(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  sealed: Buffer,
  now: Date,
): Promise<boolean> {
  return (await tx.first(OFFER, { organizationId, accountUserId, sealed, now })) !== null;
}

/** Uses the code of a time step, once, and never one older than the last. */
export async function takeStep(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  step: number,
): Promise<boolean> {
  return (
    (await tx.em.nativeUpdate(
      SecondFactorTable,
      { organizationId, accountUserId, lastStep: { $lt: step } },
      { lastStep: step },
    )) === 1
  );
}

/** Returns true if an unconfirmed factor was turned on. */
export async function confirmOffer(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
  now: Date,
): Promise<boolean> {
  return (
    (await tx.em.nativeUpdate(
      SecondFactorTable,
      { organizationId, accountUserId, confirmedAt: null },
      { confirmedAt: now },
    )) === 1
  );
}

export async function deleteSecondFactor(
  tx: WriteTransaction,
  organizationId: OrganizationId,
  accountUserId: AccountUserId,
): Promise<void> {
  await tx.em.nativeDelete(SecondFactorTable, { organizationId, accountUserId });
}

export async function deleteOldOffers(tx: WriteTransaction, before: Date): Promise<void> {
  await tx.em.nativeDelete(SecondFactorTable, { confirmedAt: null, createdAt: { $lt: before } });
}
