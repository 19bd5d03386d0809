/** Constants of alerting. */

/** Rules that an organization may have in use: each is evaluated in every round. */
export const RULES_MAX = 200;

/** Characters of the name of a rule. */
export const NAME_LENGTH_MAX = 100;

/** How long a rule may be muted at once. */
export const MUTED_DAYS_MAX = 366;

/** Between two evaluations of what is judged on figures of now. */
export const EVALUATION_SECONDS = 60;

/** Groups of a rule that are watched: the costliest of them, and lines of a trend, of which attribution gives so many. */
export const GROUPS_MAX = 200;
export const SERIES_MAX = 20;

/** Customers of a margin that are looked at: with them, what one evaluation may hold in memory. */
export const CUSTOMERS_MAX = 50_000;

/** Minutes for which events must have waited for a price, and the sync must have failed, before it is worth a word. */
export const UNPRICED_MINUTES = 15;
export const SYNC_FAILING_MINUTES = 30;

/** Between two forecasts of a budget, and two looks at hours of silence: both read months of hours. */
export const FORECAST_MINUTES = 15;
export const SILENCE_MINUTES = 10;

/** Hours that a forecast looks back on: a trend has at most 1,000 points. */
export const FORECAST_HISTORY_DAYS = 40;

/** A UTC day is judged so long after its end, once nothing of it waits. */
export const SETTLE_HOURS = 2;

/** Organizations are judged over so many minutes from then on: thousands of them at once would hold up what is due every minute. */
export const SPREAD_MINUTES = 60;

/** Days that a rule begins with when it is first evaluated, and catches up with at most: a day is judged once, in order. */
export const FIRST_DAYS = 2;
export const CATCH_UP_DAYS_MAX = 7;

/** Organizations of one step of the round, and how many of them read the graph at once. */
export const ORGANIZATIONS_PER_STEP = 200;
export const ORGANIZATIONS_AT_ONCE = 8;

/** Minutes after which an organization whose evaluation fails is tried again at the latest. */
export const RETRY_MINUTES_MAX = 30;

/** Episodes on one page. */
export const EPISODES_PER_PAGE_MAX = 200;
/** Channels of an organization. */
export const CHANNELS_MAX = 50;

/** Purpose of the key that seals signing secrets and Slack's addresses. */
export const CHANNEL_SEAL = 'alerting.channel-secret';

/** After a rotation the secret of before signs next to the new one for so long. */
export const ROTATION_HOURS = 24;

/** How long the link in a confirmation mail works. */
export const CONFIRMATION_DAYS = 7;

/** Confirmation mails of an organization in an hour, and those to one address in a day: the address may be someone else's. */
export const CONFIRMATIONS_PER_HOUR_MAX = 10;
export const CONFIRMATIONS_PER_ADDRESS_MAX = 3;

/** Test messages of an organization in an hour. */
export const TESTS_PER_HOUR_MAX = 30;

/** A channel that has taken nothing for so long is switched off when a delivery has used up its attempts. */
export const FAILING_DAYS_MAX = 3;

/** How long a delivery is kept in the log. */
export const DELIVERY_DAYS_KEPT = 90;

/** A receiver's answer, from the resolving of its name to the last byte (Standard Webhooks 1.0: 15 to 30 s). */
export const DELIVERY_TIMEOUT_MILLISECONDS = 15_000;

/** A delivery belongs to one process for this long; a crash frees it then. */
export const DELIVERY_LEASE_SECONDS = 60;
