/** All report tables. */
import type { ReportTable } from './report-table.ts';
import { chargeDay } from './tables/charge-day.ts';
import { endUser } from './tables/end-user.ts';
import { focus } from './tables/focus.ts';
import { marginDay } from './tables/margin-day.ts';
import { rateHistory } from './tables/rate-history.ts';
import { revenueDay } from './tables/revenue-day.ts';

export const REPORT_TABLES: readonly ReportTable[] = [chargeDay, revenueDay, marginDay, rateHistory, endUser, focus];
