import { graphql } from '../../schema/graphql.ts';
import { array, instant, nullable, object, text } from '../json-schema.ts';
import { noParameters } from '../params/parameter.ts';
import { defineRoute } from '../route.ts';

export const ping = defineRoute({
  url: '/ping',
  operationId: 'ping',
  tool: 'ping',
  tag: 'Ping',
  summary: 'Checks a key and says what it may do',
  scope: null,
  errors: ['UNAUTHORIZED', 'RATE_LIMIT_EXCEEDED'],
  parameters: noParameters,
  document: graphql(`query Ping {
    caller { ok organization_id: organizationId environment key_name: keyName scopes expires_at: expiresAt }
  }`),
  answer: ['caller'],
  response: object({
    ok: { type: 'boolean', const: true },
    organization_id: text('The organization that the key belongs to.', { format: 'uuid' }),
    environment: text('', { enum: ['live', 'test'] }),
    key_name: text('Name of the key.'),
    scopes: array(text('A scope.')),
    expires_at: nullable(instant('Null: the key does not expire.')),
  }),
});
