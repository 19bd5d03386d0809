/** What identity uses the service's secret for: a key of its own for each. */

export const API_KEY_SEAL = 'api-key';
export const SECOND_FACTOR_SEAL = 'second-factor';
export const RECOVERY_CODE_HASH = 'recovery-code';
export const USER_CODE_HASH = 'user-code';
