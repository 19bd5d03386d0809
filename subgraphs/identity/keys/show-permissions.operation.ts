/** The permissions manifest: every scope, and the ready-made sets of them. */
import { type PermissionsManifest, permissionsManifest } from './permissions.ts';

export function showPermissions(): PermissionsManifest {
  return permissionsManifest;
}
