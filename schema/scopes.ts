/** Scopes of credentials, and presets of scopes. */

/** contract.md, "Scopes". */
export const SCOPES = [
  'costs:read',
  'dimensions:read',
  'revenue:read',
  'usage:read',
  'usage:write',
  // Scopes for providers' bills; not part of the contract.
  'bills:read',
  'bills:write',
] as const;

export type Scope = (typeof SCOPES)[number];

/** Additional grant of a key with `usage:write` that may send unsigned bodies (decision 41). Not a scope. */
export const WRITE_UNSIGNED = 'usage:write-unsigned';

/** Scopes of device logins and of OAuth clients that request none, in the contract's order. */
export const QUERY_SCOPES = [
  'costs:read',
  'revenue:read',
  'usage:read',
  'dimensions:read',
] as const satisfies readonly Scope[];

/** Grants that an operator can give a joined subgraph: client reads, and the list of organizations. */
export const SUBGRAPH_SCOPES: readonly string[] = [...QUERY_SCOPES, 'organizations:read'];

/** contract.md, "Key presets". Names and scopes are displayed as written here. */
export const PRESETS = [
  { name: 'CLI and MCP (read-only)', scopes: QUERY_SCOPES },
  { name: 'SDK ingestion', scopes: ['usage:write'] },
] as const satisfies readonly { name: string; scopes: readonly Scope[] }[];

export function isScope(value: unknown): value is Scope {
  return (SCOPES as readonly unknown[]).includes(value);
}
