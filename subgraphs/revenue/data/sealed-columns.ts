/** What revenue keeps encrypted. */
import type { SealedColumn } from '../../../platform/database/sealed-column.ts';
import { CONNECTION_SEAL } from '../config.ts';

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  {
    one: 'payment connection',
    many: 'payment connections',
    table: 'payment_connection',
    column: 'sealed_key',
    purpose: CONNECTION_SEAL,
    boundTo: 'id',
  },
];
