/**
 * A third-party subgraph: the account manager of a customer. Node 22.18 or later with @apollo/subgraph, graphql and graphql-yoga.
 *
 *     node account-managers.ts PORT GATEWAY_URL
 */
import { createPublicKey, type JsonWebKey, verify } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { GraphQLError, parse } from 'graphql';
import { createYoga } from 'graphql-yoga';

interface Principal {
  /** The tenant: restrict every lookup to it. */
  readonly organizationId: string | null;
  readonly grants: readonly string[];
}

const MANAGERS: Readonly<Record<string, string>> = { acme: 'Ada', globex: 'Grace' };
const [port, gateway] = process.argv.slice(2);

const decoded = (text = '') => JSON.parse(Buffer.from(text, 'base64url').toString());

/** Returns the caller. Throws unless the gateway signed it for us within the last 30 seconds. */
async function principalOf(signed: string): Promise<Principal> {
  const [header, payload, signature = ''] = signed.split('.');
  const { alg, kid, typ } = decoded(header);
  // In production, cache the keys, and fetch them again for an unknown kid.
  const { keys } = (await (await fetch(`${gateway}/graphql/jwks.json`)).json()) as {
    keys: (JsonWebKey & { kid: string })[];
  };
  const key = keys.find((candidate) => candidate.kid === kid);
  if (!key || alg !== 'EdDSA' || typ !== 'principal+jwt') throw new Error('not signed by the gateway');
  const publicKey = createPublicKey({ key, format: 'jwk' });
  if (!verify(null, Buffer.from(`${header}.${payload}`), publicKey, Buffer.from(signature, 'base64url')))
    throw new Error('the signature does not match');
  const { aud, exp, principal } = decoded(payload);
  if (aud !== 'account-managers' || exp < Date.now() / 1000) throw new Error('not for us, or too old');
  return principal as Principal;
}

const typeDefs = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])
  directive @scope(needs: [String!]!) on FIELD_DEFINITION
  ${readFileSync(new URL('account-managers.graphql', import.meta.url), 'utf8')}
`);
const resolvers = {
  EndUser: {
    __resolveReference: (reference: unknown) => reference,
    accountManager(source: unknown, _: unknown, context: unknown) {
      const { externalId } = source as { externalId: string };
      const { principal } = context as { principal: Principal };
      if (!principal.grants.includes('costs:read'))
        throw new GraphQLError('This needs the scope costs:read', { extensions: { code: 'FORBIDDEN' } });
      return MANAGERS[externalId] ?? null;
    },
  },
};

const yoga = createYoga<object, { principal: Principal }>({
  graphqlEndpoint: '/graphql',
  graphiql: false,
  schema: buildSubgraphSchema([{ typeDefs, resolvers }]),
  async context({ request }) {
    try {
      return { principal: await principalOf(request.headers.get('x-principal') ?? '') };
    } catch {
      throw new GraphQLError('Not signed by the gateway', {
        extensions: { code: 'UNAUTHORIZED', http: { status: 401 } },
      });
    }
  },
});

createServer(yoga).listen(Number(port), '127.0.0.1');
