/** Constants of alerting. */

/** Hours after the end of a week or month until its statement is sent, so that late events and revenue have arrived. */
export const STATEMENT_HOURS = 6;

/** Seconds until a statement whose figures could not be read is retried. */
export const STATEMENT_RETRY_SECONDS = 900;

/** Maximum number of rules in use per organization: each is evaluated in every round. */
export const RULES_MAX = 200;

/** Maximum length of a rule's or channel's name. */
export const NAME_LENGTH_MAX = 100;

/** Maximum length of a note or comment, and their number per day or incident, per organization and per page. */
export const NOTE_LENGTH_MAX = 1_000;
export const NOTES_PER_PLACE_MAX = 100;
export const NOTES_MAX = 10_000;
export const NOTES_PER_PAGE_MAX = 200;

/**
 * Maximum length of a saved view's path, and maximum number of a person's views and of an organization's shared views.
 */
export const VIEW_PATH_LENGTH_MAX = 2_000;
export const OWN_VIEWS_MAX = 50;
export const SHARED_VIEWS_MAX = 100;

/** Maximum days for which a rule can be muted. */
export const MUTED_DAYS_MAX = 366;

/** Seconds between two evaluations of rules on current figures. */
export const EVALUATION_SECONDS = 60;

/**
 * Maximum number of groups watched per rule, the costliest ones, and of lines of a trend, which attribution limits to
 * this number.
 */
export const GROUPS_MAX = 200;
export const SERIES_MAX = 20;

/** Customers considered for a margin: bounds the memory of one evaluation. */
export const CUSTOMERS_MAX = 50_000;

/** Minutes that events must have waited for a price, and that the sync must have failed, before an alert. */
export const UNPRICED_MINUTES = 15;
export const SYNC_FAILING_MINUTES = 30;

/** Minutes between two forecasts of a budget, and between two checks for silence: both read weeks or months of hours. */
export const FORECAST_MINUTES = 15;
export const SILENCE_MINUTES = 10;

/** Minutes between comparisons of bills with the books, and the number of days that a comparison covers. */
export const BILL_MINUTES = 60;
export const BILL_DAYS = 31;

/** Days of hourly history for a forecast: a trend has at most 1,000 points. */
export const FORECAST_HISTORY_DAYS = 40;

/** Hours after its end at which a UTC day is judged, unless some of its events still wait. */
export const SETTLE_HOURS = 2;

/**
 * After `SETTLE_HOURS`, the judgements of organizations are spread over these minutes: thousands at once would delay
 * rules that are due every minute.
 */
export const SPREAD_MINUTES = 60;

/**
 * Number of past days that a rule judges at its first evaluation, and the maximum that it catches up with later. Each
 * day is judged once, in order.
 */
export const FIRST_DAYS = 2;
export const CATCH_UP_DAYS_MAX = 7;

/** Maximum number of organizations per step of the round, and of organizations evaluated concurrently. */
export const ORGANIZATIONS_PER_STEP = 200;
export const ORGANIZATIONS_AT_ONCE = 8;

/** Maximum number of minutes until a failed evaluation of an organization is retried. */
export const RETRY_MINUTES_MAX = 30;

/** Maximum number of episodes per page. */
export const EPISODES_PER_PAGE_MAX = 200;
/** Maximum number of channels per organization. */
export const CHANNELS_MAX = 50;

/** Purpose of the key that seals channel secrets. */
export const CHANNEL_SEAL = 'alerting.channel-secret';

/** Hours after a rotation during which the previous secret also signs. */
export const ROTATION_HOURS = 24;

/** Days for which the link in a confirmation mail is valid. */
export const CONFIRMATION_DAYS = 7;

/**
 * Maximum number of confirmation mails per organization and hour, and per address and day: the address may belong to
 * someone else.
 */
export const CONFIRMATIONS_PER_HOUR_MAX = 10;
export const CONFIRMATIONS_PER_ADDRESS_MAX = 3;

/** Maximum number of test messages per organization and hour. */
export const TESTS_PER_HOUR_MAX = 30;

/** A channel is disabled when a delivery has used up its attempts and all deliveries have failed for this many days. */
export const FAILING_DAYS_MAX = 3;

/** Days for which a delivery is kept in the log. */
export const DELIVERY_DAYS_KEPT = 90;

/** Timeout of a receiver's response, from name resolution to the last byte (Standard Webhooks 1.0: 15 to 30 s). */
export const DELIVERY_TIMEOUT_MILLISECONDS = 15_000;

/** Lease of a delivery for one process. After a crash, the delivery is free when the lease expires. */
export const DELIVERY_LEASE_SECONDS = 60;

/** Hours after the end of a day or month until it is exported, so that late events and revenue have arrived. */
export const EXPORT_HOURS = 6;

/** Minutes between two checks for months that were closed; their exports are then written again. */
export const EXPORT_CLOSING_MINUTES = 30;

/** Maximum number of scheduled exports per organization, and length of the prefix of their keys. */
export const EXPORT_SCHEDULES_MAX = 20;
export const PREFIX_LENGTH_MAX = 500;

/** Purpose of the key that seals secret access keys. */
export const EXPORT_SEAL = 'alerting.export-secret';

/** Maximum size of an exported file, and time to read it. It is written to a temporary file first. */
export const EXPORT_BYTES_MAX = 1024 * 1024 * 1024;
export const EXPORT_MINUTES_MAX = 20;

/** Time for one request to the storage. */
export const UPLOAD_MILLISECONDS_MAX = 600_000;

/**
 * Lease of an export for one process, longer than it takes to read and write a file. After a crash, the export is
 * free when the lease expires.
 */
export const EXPORT_LEASE_MINUTES = 45;

/**
 * Minutes from each failed attempt of an export to the next, almost a day in total. After the last attempt the schedule is
 * stopped.
 */
export const EXPORT_RETRY_MINUTES = [5, 10, 20, 40, 80, 160, 240, 240, 240, 240] as const;

/** Failed attempts of an export after which channels are notified. */
export const EXPORT_NOTIFY_ATTEMPTS = 3;

/** Days for which the record of a delivered export is kept. */
export const EXPORT_DAYS_KEPT = 400;

/** Seconds between two tests of a schedule. */
export const EXPORT_TEST_SECONDS = 5;
