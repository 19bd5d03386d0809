/**
 * The UUID of an end user, computed without a database: UUIDv5 with the organization's UUID as namespace and the
 * external id, byte for byte as sent, as name (decision 9, D51, RFC 9562 section 5.5). Namespaces are cached as bytes
 * because ingestion is a hot path.
 */
import type { EndUserId, OrganizationId } from './ids.ts';
import { hash } from 'node:crypto';
import { isUuid } from './uuid.ts';

const NAMESPACES_MAX = 1000;
const namespaces = new Map<string, Buffer>();

/**
 * Returns a UUID in lower case. Throws a `TypeError` if `organizationId`, which comes from the principal, is not a
 * UUID.
 */
export function endUserId(organizationId: OrganizationId, externalId: string): EndUserId {
  const namespace = namespaces.get(organizationId) ?? rememberNamespace(organizationId);
  const name = Buffer.allocUnsafe(namespace.length + Buffer.byteLength(externalId));
  namespace.copy(name);
  name.write(externalId, namespace.length);

  const hex = hash('sha1', name, 'hex');
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
  const third = `5${hex.slice(13, 16)}`;
  const fourth = variant + hex.slice(17, 20);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${third}-${fourth}-${hex.slice(20, 32)}`;
}

/** Caches the namespace. A full cache is cleared: cheap, and never wrong. */
function rememberNamespace(organizationId: OrganizationId): Buffer {
  if (!isUuid(organizationId)) throw new TypeError('The id of an organization must be a UUID');
  if (namespaces.size >= NAMESPACES_MAX) namespaces.clear();
  const bytes = Buffer.from(organizationId.replaceAll('-', ''), 'hex');
  namespaces.set(organizationId, bytes);
  return bytes;
}
