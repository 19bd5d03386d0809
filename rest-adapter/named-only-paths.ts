/** Paths that the contract only names: no shape is invented for them here, GraphQL serves what they are for. */

/** Path below `/v1` → the GraphQL field that answers instead; `null` where nothing is built because nothing is shown. */
export const NAMED_ONLY_PATHS: Readonly<Record<string, string | null>> = {
  '/attribution-data/by-dimension': 'Window.costsByAttribution',
  '/attribution-data/by-outcome': null,
  '/attribution-data/sessions/:sessionId/tree': 'Query.session',
  '/dimension-data/definitions': 'Query.dimensions',
  '/end-user-costs/:externalId/summary': 'EndUser.costSummary',
  '/end-user-costs/:externalId/trend': 'EndUser.trend',
  '/cost-data/by-end-user': 'Window.costsByEndUser',
  '/permissions-manifest': 'Query.permissionsManifest',
};

export function namedOnlyMessage(field: string | null): string {
  return field === null
    ? 'The contract names this path without showing its parameters or its answer, so it is not served.'
    : `The contract names this path without showing its answer, so REST does not serve it. In GraphQL the field ${field} does.`;
}
