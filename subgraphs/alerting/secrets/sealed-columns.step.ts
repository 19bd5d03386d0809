/** Columns of alerting that are encrypted. */
import type { SealedColumn } from '#platform/database/sealed-column.ts';
import { CHANNEL_SECRETS } from '../channels/sealed-columns.step.ts';
import { EXPORT_SECRET } from '../exports/sealed-column.step.ts';

export const SEALED_COLUMNS: readonly SealedColumn[] = [...CHANNEL_SECRETS, EXPORT_SECRET];
