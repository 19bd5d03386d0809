import { graphql } from '#schema/graphql.ts';
import { noParameters } from '../params/parameter.ts';
import { defineRoute } from '../route.ts';

export const ping = defineRoute({
  url: '/ping',
  operationId: 'ping',
  tool: 'ping',
  tag: 'Ping',
  summary: 'Check a key and its permissions',
  // Any valid key (decision 9, D50).
  scope: null,
  errors: ['UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
  parameters: noParameters,
  document: graphql(`query Ping {
    caller { ok organization_id: organizationId environment key_name: keyName scopes expires_at: expiresAt }
  }`),
  answer: ['caller'],
  example: {
    parameters: {},
    response: {
      ok: true,
      organization_id: '7b0f6a8e-1f6e-4b7d-8a46-0c8d2f1f9c11',
      environment: 'live',
      key_name: 'Dashboard export',
      scopes: ['costs:read', 'usage:read'],
      expires_at: null,
    },
  },
});
