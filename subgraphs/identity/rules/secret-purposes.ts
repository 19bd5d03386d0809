/** What identity derives keys for: one of its own for each. */

export const API_KEY_SEAL = 'api-key';
export const SECOND_FACTOR_SEAL = 'second-factor';
export const RECOVERY_CODE_KEY_SEAL = 'recovery-code-key';
/** Before the keys of recovery codes were stored, they were derived. */
export const RECOVERY_CODE_HASH = 'recovery-code';
export const USER_CODE_HASH = 'user-code';
