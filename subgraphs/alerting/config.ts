/** Constants of alerting. */

/** Rules that an organization may have in use: each is evaluated in every round. */
export const RULES_MAX = 200;

/** Characters of the name of a rule. */
export const NAME_LENGTH_MAX = 100;

/** How long a rule may be muted at once. */
export const MUTED_DAYS_MAX = 366;
