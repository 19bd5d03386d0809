/** A separate process: Hive Gateway on a supergraph. Arguments: port, supergraph file. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createGatewayRuntime } from '@graphql-hive/gateway-runtime';
import * as http from '@graphql-mesh/transport-http';

const [port = '', file = ''] = process.argv.slice(2);
const gateway = createGatewayRuntime({
  supergraph: readFileSync(file, 'utf8'),
  transports: { http },
  logging: false,
  graphiql: false,
  landingPage: false,
  maskedErrors: false,
  // The signed principal identifies the caller, as it does behind our own gateway.
  propagateHeaders: {
    fromClientToSubgraphs: ({ request }) => ({ 'x-principal': request.headers.get('x-principal') ?? '' }),
  },
});
createServer((request, response) => void gateway(request, response)).listen(Number(port), '127.0.0.1');
