/** Global ids: a type, an organization and a key. Clients must treat them as opaque. */

export interface NodeKey {
  /** The GraphQL type, for example `UsageEvent`. */
  readonly type: string;
  /** The organization that sees the object; a model or a standard rate card has one id for each organization. */
  readonly organizationId: string;
  readonly key: string;
}

export function nodeIdOf(type: string, organizationId: string, key: string): string {
  return Buffer.from(`${type}:${organizationId}:${key}`).toString('base64url');
}

/** Returns null if the text is not a global id. */
export function parseNodeId(id: string): NodeKey | null {
  const [, type, organizationId, key] =
    /^([A-Za-z]{1,64}):([^:]{0,64}):(.+)$/s.exec(Buffer.from(id, 'base64url').toString()) ?? [];
  if (type === undefined || organizationId === undefined || key === undefined) return null;
  return nodeIdOf(type, organizationId, key) === id ? { type, organizationId, key } : null;
}
