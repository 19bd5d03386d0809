/**
 * Creates a gateway and its transports to the subgraphs: for the single process, for a separate gateway, and for
 * tests.
 */
import { createGateway, type Gateway, type SubgraphTransports } from '../gateway/create-gateway.ts';
import { localGatewayClient } from '../gateway/local-gateway-client.ts';
import type { Config } from '#platform/config.ts';
import { SUBGRAPH_NAMES } from '#schema/subgraph-names.ts';
import type { GatewayClient } from '#platform/gateway-client.ts';
import type { KeyRing } from '#platform/key-ring.ts';
import type { Log } from '#platform/log.ts';
import { withoutNames } from '#platform/principal.ts';
import type { Subgraph } from '#platform/subgraph/subgraph.ts';
import { httpSubgraph } from '#platform/transports/http-subgraph.ts';
import { signedFor } from '#platform/transports/proof.ts';
import { inProcessSubgraph } from '#platform/transports/in-process-subgraph.ts';
import type { SubgraphTransport } from '#platform/transports/subgraph-transport.ts';

/** Calls every subgraph at its address. */
export function remoteTransports(config: Config, signing: KeyRing, log: Log): SubgraphTransports {
  return transports((name) => {
    const url = config.subgraphUrls[name] ?? null;
    if (url === null)
      throw new Error(`Set ${name.toUpperCase()}_URL: the subgraph ${name} does not run in this process`);
    return httpSubgraph(name, url, signedFor(name, signing), log);
  });
}

/**
 * Transports to subgraphs in this process. Subgraphs are created later: they need the gateway's client, and the
 * gateway loads while their databases open. Using a transport before `connect` is a startup error.
 */
export function transportsInWaiting(): { transports: SubgraphTransports; connect(to: readonly Subgraph[]): void } {
  const connected = new Map<string, SubgraphTransport>();
  const connectedTo = (name: string): SubgraphTransport => {
    const transport = connected.get(name);
    if (!transport) throw new Error(`The subgraph ${name} has not been assembled yet`);
    return transport;
  };
  return {
    transports: transports((name) => ({
      isRemote: false,
      execute: (...request) => connectedTo(name).execute(...request),
      executeOwn: (...request) => connectedTo(name).executeOwn(...request),
      close: async () => {},
    })),
    connect(to) {
      for (const subgraph of to) connected.set(subgraph.name, inProcessSubgraph(subgraph));
    },
  };
}

function transports(transportTo: (name: string) => SubgraphTransport): SubgraphTransports {
  return Object.fromEntries(SUBGRAPH_NAMES.map((name) => [name, transportTo(name)]));
}

/** `own`: the subgraphs of this repository. Every other subgraph is called at the address in the supergraph. */
export async function makeGateway(
  own: SubgraphTransports,
  { supergraphFile }: Pick<Config, 'supergraphFile'>,
  signing: KeyRing,
  log: Log,
): Promise<{ gateway: Gateway; client: GatewayClient }> {
  const gateway = await createGateway({
    own,
    join: (name, url) => {
      const proof = signedFor(name, signing);
      return httpSubgraph(name, url, (principal) => proof(withoutNames(principal)), log);
    },
    supergraphFile,
    log,
  });
  return { gateway, client: localGatewayClient(gateway, own) };
}
