/** The public fields of a passkey. */
import type { Passkey } from '../second-factors/passkey.table.ts';

export type PasskeyView = ReturnType<typeof toPasskey>;

export function toPasskey({
  id,
  name,
  createdAt,
  lastUsedAt,
  isSynced,
}: Pick<Passkey, 'id' | 'name' | 'createdAt' | 'isSynced'> & { readonly lastUsedAt?: Date | null | undefined }) {
  return { id, name, createdAt, lastUsedAt: lastUsedAt ?? null, isSynced };
}
