/** The names of what a credential may do, and the sets of them that a person picks from. */

/** contract.md, "Scopes". */
export const SCOPES = ['costs:read', 'dimensions:read', 'revenue:read', 'usage:read', 'usage:write'] as const;

export type Scope = (typeof SCOPES)[number];

/** What a key with `usage:write` holds besides where an account user let it send bodies that are not signed (decision 41). No scope. */
export const WRITE_UNSIGNED = 'usage:write-unsigned';

/** What the device login issues and what an OAuth client gets that asks for nothing; in the contract's order. */
export const QUERY_SCOPES = [
  'costs:read',
  'revenue:read',
  'usage:read',
  'dimensions:read',
] as const satisfies readonly Scope[];

/** What an operator can grant a subgraph: it reads as a client, and may know which organizations there are. */
export const SUBGRAPH_SCOPES: readonly string[] = [...QUERY_SCOPES, 'organizations:read'];

/** contract.md, "Key presets". Names and scopes are shown to people as they stand here. */
export const PRESETS = [
  { name: 'CLI and MCP (read-only)', scopes: QUERY_SCOPES },
  { name: 'SDK ingestion', scopes: ['usage:write'] },
] as const satisfies readonly { name: string; scopes: readonly Scope[] }[];

export function isScope(value: unknown): value is Scope {
  return (SCOPES as readonly unknown[]).includes(value);
}
