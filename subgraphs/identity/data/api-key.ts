/** API keys: what is kept of them. The key itself is not. */
import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import { tenantTable } from '../../../platform/database/tenant-table.ts';

export const ApiKeyTable = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  ...tenantTable('identity'),
  properties: {
    organizationId: p.uuid().primary(),
    id: p.uuid().primary(),
    accountUserId: p.uuid(),
    hash: p.blob(),
    name: p.string().length(255),
    description: p.text().nullable(),
    environment: p.enum(['live', 'test']),
    scopes: p.array(),
    /** The key sealed with AES-256-GCM, for test keys alone. */
    sealed: p.blob().nullable(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
  },
  uniques: [{ name: 'api_key_hash_unique', properties: ['hash'] }],
  checks: [{ name: 'api_key_live_is_never_sealed', expression: "sealed is null or environment = 'test'" }],
});

export type ApiKey = InferEntity<typeof ApiKeyTable>;
