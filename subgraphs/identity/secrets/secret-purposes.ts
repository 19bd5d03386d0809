/** Purposes for which identity derives keys, a separate key for each. */

export const API_KEY_SEAL = 'api-key';
export const SECOND_FACTOR_SEAL = 'second-factor';
export const RECOVERY_CODE_KEY_SEAL = 'recovery-code-key';
/** Recovery codes: their keys were derived for this purpose before random keys were stored. */
export const RECOVERY_CODE_HASH = 'recovery-code';
export const USER_CODE_HASH = 'user-code';
