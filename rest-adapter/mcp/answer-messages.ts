/**
 * Answers MCP messages with the protocol's SDK: the current revision and the revisions of 2025. Loaded with the first
 * message.
 */
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Principal } from '#platform/principal.ts';
import { createMcpServer, type McpDependencies } from './create-mcp-server.ts';

export type AuthInfo = NonNullable<
  Parameters<WebStandardStreamableHTTPServerTransport['handleRequest']>[1]
>['authInfo'];

export interface McpAnswers {
  /** `parsedBody` is undefined if the body is not JSON. `request.signal` aborts when the client disconnects. */
  answer(
    request: Request,
    caller: { principal: Principal; authInfo: AuthInfo },
    parsedBody: unknown,
  ): Promise<Response>;
  close(): Promise<void>;
}

export function openMcpAnswers(dependencies: McpDependencies): McpAnswers {
  const modern = createMcpHandler(
    ({ authInfo }) => createMcpServer(authInfo?.extra?.['principal'] as Principal, dependencies),
    { legacy: 'reject' },
  );
  return {
    answer: async (request, { principal, authInfo }, parsedBody) => {
      const options = { ...(authInfo ? { authInfo } : {}), ...(parsedBody === undefined ? {} : { parsedBody }) };
      if (!(await isLegacyRequest(request, parsedBody))) return modern.fetch(request, options);
      const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
      const server = createMcpServer(principal, dependencies);
      await server.connect(transport);
      // Once the client has disconnected, a response may never be produced.
      request.signal.addEventListener('abort', () => void server.close(), { once: true });
      return transport.handleRequest(request, options);
    },
    close: () => modern.close(),
  };
}
