/** Which keys of metadata a price may depend on: they stay when metadata is dropped, so that an event can be priced again. */
import { USAGE_KEYS } from '../events/provider-usage.ts';
import { REPORTED_COUNT_KEYS } from './reported-counts.ts';
import { UNIT_KEYS } from './read-units.ts';

/** Without the names that rate cards give to units of their own. */
export const PRICED_METADATA_KEYS: readonly string[] = [
  ...new Set([...REPORTED_COUNT_KEYS, ...UNIT_KEYS, ...USAGE_KEYS]),
];
