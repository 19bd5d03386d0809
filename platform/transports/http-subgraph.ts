/** Calls a subgraph in another process. A response that is not GraphQL counts as unavailable. */
import { isObject } from '#kernel/json/json-object.ts';
import type { GraphQLFormattedError } from 'graphql';
import { KnownError } from '#kernel/errors.ts';
import { JSON_DEPTH_MAX, parseExactJson, printExactJson } from '#kernel/json/exact-json.ts';
import type { Log } from '../log.ts';
import { readJson } from '../request-body/read-json.ts';
import { AWAY_MESSAGE } from '../unavailability.ts';
import { httpPeer } from './http-peer.ts';
import type { Proof } from './proof.ts';
import type { GraphQLAnswer, SubgraphTransport } from './subgraph-transport.ts';

/**
 * A subgraph may be operated by others, so its responses are limited like request bodies, except that their texts may
 * be long.
 */
const ANSWER = {
  valuesMax: 1_000_000,
  depthMax: JSON_DEPTH_MAX,
  stringBytesMax: Infinity,
  parse: parseExactJson,
};
const ERRORS_MAX = 10_000;

export function httpSubgraph(name: string, url: string, proof: Proof, log: Log): SubgraphTransport {
  const subgraphLog = log.child({ subgraph: name });
  const peer = httpPeer({ name: `The subgraph ${name}`, url, proof, log: subgraphLog });
  const execute: SubgraphTransport['execute'] = async (query, variables, principal) => {
    const body = printExactJson({ query, variables });
    try {
      const { statusCode, bytes } = await peer.post('/graphql', body, principal);
      return await readAnswer(statusCode, bytes);
    } catch (error) {
      if (error instanceof KnownError)
        return { errors: [{ message: error.message, extensions: { code: error.code } }] };
      const { correlationId } = principal;
      subgraphLog.error(
        { cause: (error as Error).message, correlationId },
        `The subgraph ${name} returned an invalid response`,
      );
      return { errors: [{ message: AWAY_MESSAGE, extensions: { code: 'SERVICE_UNAVAILABLE' } }] };
    }
  };
  return { isRemote: true, execute, executeOwn: execute, close: () => peer.close() };
}

/**
 * GraphQL over HTTP: a response with errors may have status 4xx. Throws for anything else that is not a GraphQL
 * response.
 */
async function readAnswer(statusCode: number, bytes: Buffer): Promise<GraphQLAnswer> {
  const isRequestError = statusCode >= 400 && statusCode < 500;
  if (statusCode !== 200 && !isRequestError) throw new Error(`status ${statusCode}`);
  const { data, errors } = await readObject(bytes, statusCode);
  const isData = data === undefined || data === null || isObject(data);
  const isErrors = errors === undefined || errors === null || Array.isArray(errors);
  if (!isData || !isErrors) throw new Error('not a GraphQL answer');
  if (errors && errors.length > ERRORS_MAX) throw new Error(`more than ${ERRORS_MAX} errors`);
  const found = (errors ?? []).map(readError);
  if (found.length === 0 && (isRequestError || !data)) throw new Error(`status ${statusCode} without data or errors`);
  return { ...(data === undefined ? {} : { data }), ...(found.length > 0 ? { errors: found } : {}) };
}

async function readObject(bytes: Buffer, statusCode: number): Promise<Readonly<Record<string, unknown>>> {
  try {
    const value = await readJson(bytes, ANSWER);
    if (isObject(value)) return value;
  } catch (error) {
    throw new Error(`status ${statusCode}, not JSON: ${(error as Error).message}`, { cause: error });
  }
  throw new Error(`status ${statusCode}, not a JSON object`);
}

/** Checks the types of the members that are used. */
function readError(error: unknown): GraphQLFormattedError {
  const { message, path, extensions } = isObject(error) ? error : {};
  const { code, ...others } = isObject(extensions) ? extensions : {};
  return {
    message: typeof message === 'string' ? message : '',
    ...(isPath(path) ? { path } : {}),
    extensions: typeof code === 'string' ? { ...others, code } : others,
  };
}

function isPath(value: unknown): value is readonly (string | number)[] {
  return Array.isArray(value) && value.every((step) => typeof step === 'string' || typeof step === 'number');
}
