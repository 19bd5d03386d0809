/** The fields of a device login that a person sees before deciding (RFC 8628, sections 3.3.1 and 5.4). */
import { QUERY_SCOPES } from '#schema/scopes.ts';
import { DEVICE_KEY_DAYS } from '../../config.ts';
import type { DeviceLogin } from './device-login.table.ts';

export type DeviceLoginView = ReturnType<typeof toDeviceLoginView>;

/** `userCode` as the device shows it, if known: only its hash is stored. */
export function toDeviceLoginView(
  { id, machineName, clientName, address, createdAt, expiresAt, decision }: DeviceLogin,
  userCode: string | null,
) {
  return {
    id,
    machineName,
    clientName,
    userCode,
    address: address ?? null,
    startedAt: createdAt,
    scopes: [...QUERY_SCOPES],
    lifetimeDays: DEVICE_KEY_DAYS,
    expiresAt,
    decision: decision ?? null,
  };
}
