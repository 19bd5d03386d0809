/** Constants of this subgraph. Where one settles an open point of the contract, it names the row. */

/** api-specification.md, "Limits". */
export const BATCH_EVENTS_MAX = 100;

/** Share of the allotment past which events are flagged when a plan names no soft limit (decisions.md D12). */
export const SOFT_LIMIT_PERCENT = 80;

/** How long a pack lasts unless said otherwise (api-specification.md, "Limits"). */
export const PACK_MONTHS = 12;

/** Events on one page of a list (api-specification.md, "Limits"). */
export const PAGE_EVENTS_MAX = 1000;
