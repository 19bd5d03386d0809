/** Ids that name one thing of the whole graph: its type and its key there. What they say is for the service alone. */

export interface NodeKey {
  /** Such as `UsageEvent`. */
  readonly type: string;
  readonly key: string;
}

export function nodeIdOf(type: string, key: string): string {
  return Buffer.from(`${type}:${key}`).toString('base64url');
}

/** Null for what is none. */
export function parseNodeId(id: string): NodeKey | null {
  const [, type, key] = /^([A-Za-z]{1,64}):(.+)$/s.exec(Buffer.from(id, 'base64url').toString()) ?? [];
  return type !== undefined && key !== undefined && nodeIdOf(type, key) === id ? { type, key } : null;
}
