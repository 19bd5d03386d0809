/** Constants of alerting. */

/** Rules that an organization may have in use: each is evaluated in every round. */
export const RULES_MAX = 200;

/** Characters of the name of a rule. */
export const NAME_LENGTH_MAX = 100;

/** How long a rule may be muted at once. */
export const MUTED_DAYS_MAX = 366;

/** Channels of an organization. */
export const CHANNELS_MAX = 50;

/** Purpose of the key that seals signing secrets and Slack's addresses. */
export const CHANNEL_SEAL = 'alerting.channel-secret';

/** After a rotation the secret of before signs next to the new one for so long. */
export const ROTATION_HOURS = 24;

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
