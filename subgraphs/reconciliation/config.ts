/** Constants of reconciliation. */

/** Maximum size of a bill, imported or pulled. */
export const BILL_BYTES_MAX = 64 * 1024 * 1024;

/** Maximum size of one part of an upload: it must fit into a request to the gateway after base64. */
export const PART_BYTES_MAX = 512 * 1024;

/** Days after which the parts of an unfinished upload are deleted. */
export const UPLOAD_DAYS = 1;

/** Maximum number of lines of a bill, after the rows of each day are added up. */
export const LINES_MAX = 200_000;

/** Maximum size of a row of a table, and of a JSON record, such as all rows of a day. Each is held in memory. */
export const ROW_BYTES_MAX = 256 * 1024;
export const RECORD_TOKENS_MAX = 2_000_000;

/** Lines per statement. */
export const LINES_PER_STATEMENT = 1_000;

/** Maximum number of connections, and length of a connection's name and of a note. */
export const CONNECTIONS_MAX = 100;
export const NAME_LENGTH_MAX = 100;
export const NOTE_LENGTH_MAX = 500;
export const UNTRACKED_SCOPES_MAX = 1_000;

/** Longest time until the figures of a day are final: 90 days. */
export const SETTLE_HOURS_MAX = 2_160;

/** Maximum number of days that one read compares. */
export const COMPARED_DAYS_MAX = 92;

/** Charges per page, and maximum number of pages per comparison, which bounds the memory. */
export const CHARGES_PER_PAGE = 5_000;
export const CHARGE_PAGES_MAX = 40;

/** Purpose of the key that seals admin keys. */
export const ADMIN_KEY_SEAL = 'reconciliation.admin-key';

/** Maximum number of differences per page. */
export const DIFFERENCES_PER_PAGE_MAX = 500;

/** Number of past days that a pull reads, since providers revise up to 30 days. */
export const PULLED_DAYS = 31;

/** Hours between two pulls, and minutes until a failed pull is retried: at first, and at most. */
export const PULL_HOURS = 6;
export const RETRY_MINUTES = { first: 10, longest: 360 };

/** Maximum number of pages of one list, and size of one page. */
export const PAGES_MAX = 200;
export const PAGE_BYTES_MAX = 16 * 1024 * 1024;

/** Time for which a claimed connection is left to one process. */
export const PULL_LEASE_MINUTES = 15;
