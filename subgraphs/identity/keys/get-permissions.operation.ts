/** The permissions manifest: all scopes, and the presets. */
import { PRESETS, SCOPES, type Scope } from '#schema/scopes.ts';
import { PRESET_IDS } from './chosen-scopes.ts';

const GRANTS: Readonly<Record<Scope, string>> = {
  'costs:read': 'Cost summaries, breakdowns, trends, attribution, end-user costs',
  'dimensions:read': 'Custom dimension definitions',
  'revenue:read': 'Margin and profitability',
  'usage:read': 'Recorded usage events and aggregations',
  'usage:write': 'Sending usage events',
  'bills:read': 'Bills of providers and how they differ from the books',
  'bills:write': 'Importing bills of providers',
};

/** Description of each scope, for people who choose scopes. */
const permissionsManifest = {
  scopes: SCOPES.map((name) => ({ name, grants: GRANTS[name] })),
  presets: PRESETS.map(({ name, scopes }, index) => ({ id: PRESET_IDS[index] ?? name, name, scopes: [...scopes] })),
};

export function getPermissions(): PermissionsManifest {
  return permissionsManifest;
}

type PermissionsManifest = typeof permissionsManifest;
