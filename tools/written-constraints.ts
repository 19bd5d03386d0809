/** Constraints that migrations write by hand because entities cannot say them: the comparison would drop them. */
import type { SubgraphName } from '../platform/config.ts';

export const WRITTEN_CONSTRAINTS: Readonly<Record<SubgraphName, readonly string[]>> = {
  identity: [],
  costing: [
    'rate_alias_card_foreign',
    'rate_card_name_unique',
    'rate_card_version_card_foreign',
    'rate_card_version_one_in_force',
    'rate_tier_version_foreign',
  ],
  attribution: [],
  revenue: [],
};
