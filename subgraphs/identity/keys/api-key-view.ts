/** The public fields of a key, without its hash and sealed value. */
import { enumValue } from '#kernel/enum-value.ts';
import type { ApiKey } from './api-key.table.ts';

export type ApiKeyView = ReturnType<typeof toApiKeyView>;

export function toApiKeyView({
  id,
  name,
  description,
  scopes,
  mayWriteUnsigned,
  environment,
  accountUserId,
  createdAt,
  createdBy,
  clientName,
  expiresAt,
  revokedAt,
  lastUsedAt,
}: ApiKey) {
  return {
    id,
    name,
    scopes,
    mayWriteUnsigned,
    environment: enumValue(environment),
    accountUserId,
    createdAt,
    createdBy,
    description: description ?? null,
    clientName: clientName ?? null,
    expiresAt: expiresAt ?? null,
    revokedAt: revokedAt ?? null,
    lastUsedAt: lastUsedAt ?? null,
  };
}
