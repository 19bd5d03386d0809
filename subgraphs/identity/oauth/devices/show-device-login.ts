/** What a person sees of a device login before deciding. */
import { QUERY_SCOPES } from '../../../../schema/scopes.ts';
import { DEVICE_KEY_DAYS } from '../../config.ts';
import type { DeviceLogin } from './device-login.table.ts';

export type ShownDeviceLogin = ReturnType<typeof showDeviceLogin>;

export function showDeviceLogin({ id, machineName, clientName, expiresAt, decision }: DeviceLogin) {
  return { id, machineName, clientName, scopes: [...QUERY_SCOPES], lifetimeDays: DEVICE_KEY_DAYS, expiresAt, decision: decision ?? null };
}
