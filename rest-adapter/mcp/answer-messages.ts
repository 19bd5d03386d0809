/** Answers messages of MCP by the protocol's SDK: the current revision and the ones of 2025. Loaded with the first message. */
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { Principal } from '../../platform/principal.ts';
import { createMcpServer, type McpDependencies } from './create-mcp-server.ts';

export type AuthInfo = NonNullable<
  Parameters<WebStandardStreamableHTTPServerTransport['handleRequest']>[1]
>['authInfo'];

export interface McpAnswers {
  /** `parsedBody` undefined: the body is no JSON. `request.signal` ends when the client goes. */
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
      // Where no one waits for the answer any more, there may never be one.
      request.signal.addEventListener('abort', () => void server.close(), { once: true });
      return transport.handleRequest(request, options);
    },
    close: () => modern.close(),
  };
}
