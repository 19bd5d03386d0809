/** Constants of reconciliation. */

/** Maximum size of an imported bill. */
export const BILL_BYTES_MAX = 64 * 1024 * 1024;

/** Maximum size of one part of an upload: it must fit into a request to the gateway after base64. */
export const PART_BYTES_MAX = 512 * 1024;

/** Hours after which parts of an upload that was not finished are deleted. */
export const UPLOAD_HOURS = 24;

/** Lines of a bill after the rows of a day are added up. */
export const LINES_MAX = 200_000;

/** Lines per statement. */
export const LINES_PER_STATEMENT = 2_000;

/** Maximum number of connections, and length of a connection's name and of a note. */
export const CONNECTIONS_MAX = 100;
export const NAME_LENGTH_MAX = 100;
export const NOTE_LENGTH_MAX = 500;
export const UNTRACKED_SCOPES_MAX = 1_000;

/** Days that one read compares. */
export const COMPARED_DAYS_MAX = 92;

/** Charges of the books per page, and pages of one comparison: bounds the memory. */
export const CHARGES_PER_PAGE = 5_000;
export const CHARGE_PAGES_MAX = 40;

/** Purpose of the key that seals admin keys. */
export const ADMIN_KEY_SEAL = 'reconciliation.admin-key';

/** Maximum number of differences per page. */
export const DIFFERENCES_PER_PAGE_MAX = 500;

/** Days that a pull reads: providers revise up to 30 days. */
export const PULLED_DAYS = 31;

/** Hours between two pulls, and the minutes after which a failed one is tried again, at first and at most. */
export const PULL_HOURS = 6;
export const RETRY_MINUTES = { first: 10, longest: 360 };

/** Pages of one list, and bytes of one page. */
export const PAGES_MAX = 200;
export const PAGE_BYTES_MAX = 16 * 1024 * 1024;

/** Lease of a connection for one process: a pull takes less. */
export const PULL_LEASE_MINUTES = 15;
