/** Global ids: a type and its key. Clients must treat them as opaque. */

export interface NodeKey {
  /** The GraphQL type, for example `UsageEvent`. */
  readonly type: string;
  readonly key: string;
}

export function nodeIdOf(type: string, key: string): string {
  return Buffer.from(`${type}:${key}`).toString('base64url');
}

/** Returns null if the text is not a global id. */
export function parseNodeId(id: string): NodeKey | null {
  const [, type, key] = /^([A-Za-z]{1,64}):(.+)$/s.exec(Buffer.from(id, 'base64url').toString()) ?? [];
  return type !== undefined && key !== undefined && nodeIdOf(type, key) === id ? { type, key } : null;
}
