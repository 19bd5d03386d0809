/** The shared service, which has priced and attributed a test's events. */
import { type Answer, get, graphql, post, settle } from './api-client.ts';
import type { RunningService } from './running-service.ts';
import { sharedService } from './shared-service.ts';

export interface ServiceWithEvents extends RunningService {
  /** Reads with the live key of the test's organization. */
  read(path: string): Promise<Answer>;
  /** Queries the graph as the operator of the test's organization. */
  operate(document: string, variables?: object): Promise<any>;
  /** Sends events with the live key and waits until they are priced. */
  send(events: readonly object[]): Promise<void>;
}

/** `prepare`: mutations that the operator runs first. `starting`: a service of its own, if the file needs one. */
export async function serviceWithEvents(
  events: readonly object[],
  prepare: readonly string[] = [],
  starting: Promise<RunningService> = sharedService(),
): Promise<ServiceWithEvents> {
  const service = await starting;
  const {
    operator_token: operator,
    organization_id: organization,
    live_read_key: readKey,
    live_ingest_key: ingestKey,
  } = service.firstRun;
  const operate = async (document: string, variables: object = {}) => {
    const { body } = await graphql(service.url, operator, document, variables, organization);
    if (body.errors) throw new Error(JSON.stringify(body.errors));
    return body.data;
  };
  const send = async (more: readonly object[]) => {
    for (let at = 0; at < more.length; at += 100) {
      const { status, body } = await post(service.url, '/usage-events/batch', ingestKey, more.slice(at, at + 100));
      if (status !== 202 || body.failed > 0) throw new Error(JSON.stringify(body));
    }
    await settle(service.url, operator);
  };
  for (const mutation of prepare) await operate(`mutation { ${mutation} }`);
  if (events.length > 0) await send(events);
  return { ...service, read: (path) => get(service.url, path, readKey), operate, send };
}
