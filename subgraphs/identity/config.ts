/** Fixed sizes of the identity subgraph. */
import { DAY_SECONDS } from '#kernel/time/duration.ts';

/** argon2id: memory in KiB, passes, lanes (OWASP's first recommendation). */
export const ARGON2 = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32, saltLength: 16 } as const;

/** Maximum number of concurrent hashes, because hashing takes memory; further ones wait. */
export const PASSWORD_HASHES_MAX = 4;

export const PASSWORD_LENGTH_MIN = 8;
export const PASSWORD_LENGTH_MAX = 256;

/** `last_used_at` of a key and `last_seen_at` of a session are written at most this often. */
export const LAST_USED_SECONDS = 60;

/** A session ends after `SESSION_IDLE_SECONDS` without use, and `SESSION_SECONDS` after the sign-in at the latest. */
export const SESSION_IDLE_SECONDS = 12 * 3_600;
export const SESSION_SECONDS = 14 * DAY_SECONDS;

/** Actions that show or issue a secret require a sign-in within this time. */
export const RECENT_SIGN_IN_SECONDS = 600;

/** Maximum number of active API keys per organization. */
export const API_KEYS_MAX = 200;

/** Maximum time between the password and the second factor. */
export const SIGN_IN_ATTEMPT_SECONDS = 600;
/** contract.md, "Limits": five consecutive wrong codes void the attempt. */
export const SECOND_FACTOR_GUESSES_MAX = 5;
/** How long an authenticator may wait for the person. */
export const PASSKEY_CHALLENGE_SECONDS = 300;
export const PASSKEYS_MAX = 20;
export const RECOVERY_CODES = 10;
/** 80 bits. */
export const RECOVERY_CODE_BYTES = 10;

/**
 * After this many failures, each further one doubles the wait, from one second up to the maximum. Failures are
 * forgotten after a day without one.
 */
export const BACKOFF = {
  freePerAccountAndAddress: 10,
  freePerAccount: 50,
  freePerAddress: 100,
  secondsMax: 900,
  forgottenAfterSeconds: DAY_SECONDS,
} as const;

/** Maximum number of logins and registrations started per address. Generous, because many people share one address. */
export const STARTS_PER_ADDRESS = { max: 120, windowSeconds: 3_600 } as const;
/** Limit per session of wrong user codes, and of wrong codes when turning off the second factor. */
export const WRONG_ANSWERS_PER_SESSION = { max: 10, windowSeconds: 3_600 } as const;

/** Limits of wrong user codes: over all sessions of an account, and over all accounts from one address. */
export const WRONG_USER_CODES = {
  perAccount: { max: 20, windowSeconds: 3_600 },
  perAddress: { max: 60, windowSeconds: 3_600 },
} as const;

/** Lifetime of links. */
export const INVITATION_SECONDS = 7 * DAY_SECONDS;
export const PASSWORD_RESET_SECONDS = DAY_SECONDS;

/** Audit records of throttled sign-ins, per account. */
export const THROTTLED_RECORDS = { max: 10, windowSeconds: 3_600 } as const;

/** Lifetimes of an authorization request, which waits for a person, and of a code, which waits for a program. */
export const AUTHORIZATION_REQUEST_SECONDS = 600;
export const AUTHORIZATION_CODE_SECONDS = 60;

/** contract.md, "Limits". */
export const DEVICE_LOGIN_SECONDS = 900;
export const POLL_SECONDS = 5;
/** RFC 8628, section 3.5: added by `slow_down`. */
export const SLOW_DOWN_SECONDS = 5;
export const DEVICE_KEY_DAYS = 90;
export const CLIENT_KEY_DAYS = 30;

export const CLIENT_UNUSED_DAYS = 90;
export const REDIRECT_URIS_MAX = 10;
export const REDIRECT_URI_LENGTH_MAX = 2_048;
export const DISPLAY_NAME_LENGTH_MAX = 100;

/** Client id of our own CLI; it is not stored in a table. */
export const CLI_CLIENT_ID = 'cli';
export const CLI_CLIENT_NAME = 'CLI';

/**
 * Number of days for which used rows are kept for inquiries. Codes are kept for the lifetime of their key, to detect a
 * second use.
 */
export const KEEP_DAYS = {
  session: 30,
  attempt: 1,
  challenge: 0,
  code: 30,
  deviceLogin: 1,
  throttle: 1,
  link: 30,
} as const;
