/** A stand-in for the service: answers every GraphQL document with values of the right types, and records it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  buildSchema,
  execute,
  getNullableType,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  isAbstractType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
} from 'graphql';
import { projectText } from './project-files.ts';

/** `Type.field` → its value, instead of the value that its type suggests. */
export type Answers = Readonly<Record<string, unknown>>;

export interface Asked {
  /** Root fields of the document. */
  readonly fields: readonly string[];
  readonly variables: Readonly<Record<string, unknown>>;
  readonly organizationId: string | undefined;
}

export const AN_ID = '00000000-0000-4000-8000-00000000000a';
const SCALARS: Readonly<Record<string, unknown>> = {
  ID: AN_ID,
  String: 'text',
  Boolean: true,
  Instant: '2026-01-01T00:00:00.000Z',
};

let schema: ReturnType<typeof buildSchema> | undefined;

/** A nullable scalar is null, and a list has one item. The last pages and finished operations are answered. */
function valueOf(type: GraphQLOutputType): unknown {
  const inner = getNullableType(type);
  if (isListType(inner)) return [valueOf(inner.ofType)];
  if (isObjectType(inner) || isAbstractType(inner)) return {};
  if (!isNonNullType(type)) return null;
  if (!isEnumType(inner)) return SCALARS[inner.name] ?? 0;
  const names = inner.getValues().map(({ name }) => name);
  return names.find((name) => name === 'FINISHED') ?? names[0];
}

export async function answeringService(answers: Answers = {}): Promise<{
  readonly url: string;
  readonly asked: readonly Asked[];
  stop(): void;
}> {
  schema ??= buildSchema(projectText('schema/supergraph.graphql'), { assumeValidSDL: true });
  const known = schema;
  const asked: Asked[] = [];
  const own: Answers = { 'PageInfo.hasNextPage': false, ...answers };
  const resolve: GraphQLFieldResolver<Readonly<Record<string, unknown>> | undefined, unknown> = (
    source,
    args,
    _,
    { parentType, fieldName, returnType },
  ) => {
    const given = own[`${parentType.name}.${fieldName}`];
    if (typeof given === 'function') return given(args);
    if (given !== undefined) return given;
    if (source && fieldName in source) return source[fieldName];
    if (fieldName === 'userErrors') return [];
    return valueOf(returnType);
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { query, variables } = JSON.parse(await text(request));
    const document = parse(query);
    const fields = document.definitions.flatMap((definition) =>
      definition.kind === 'OperationDefinition'
        ? definition.selectionSet.selections.flatMap((one) => (one.kind === 'Field' ? [one.name.value] : []))
        : [],
    );
    asked.push({ fields, variables, organizationId: request.headers['x-organization-id'] as string | undefined });
    const answer = await execute({
      schema: known,
      document,
      variableValues: variables,
      fieldResolver: resolve,
      typeResolver: (_value, _context, { schema: of }, type) => of.getPossibleTypes(type)[0]?.name,
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
