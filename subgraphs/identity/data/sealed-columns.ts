/** What identity keeps encrypted. */
import type { SealedColumn } from '../../../platform/database/sealed-column.ts';
import { API_KEY_SEAL, RECOVERY_CODE_KEY_SEAL, SECOND_FACTOR_SEAL } from '../rules/secret-purposes.ts';

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    one: 'second factor',
    many: 'second factors',
    table: 'second_factor',
    column: 'sealed',
    purpose: SECOND_FACTOR_SEAL,
    boundTo: 'account_user_id',
  },
  { one: 'test key', many: 'test keys', table: 'api_key', column: 'sealed', purpose: API_KEY_SEAL, boundTo: 'id' },
  {
    one: 'recovery-code key',
    many: 'recovery-code keys',
    table: 'recovery_code_key',
    column: 'sealed',
    purpose: RECOVERY_CODE_KEY_SEAL,
    boundTo: 'id',
  },
];
