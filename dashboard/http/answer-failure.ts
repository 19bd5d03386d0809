/** Error page. Known errors show their own message; all others are logged once and masked. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ERROR_TABLE, KnownError } from '#kernel/errors.ts';
import { html } from '../shell/html.ts';
import { cardPage } from '../shell/shell.ts';
import { sayRetryAfter } from './retry-after.ts';
import { sendPage } from './send-page.ts';
import { signInPath } from './sign-in-path.ts';

const TITLES: Partial<Record<KnownError['code'], string>> = {
  FORBIDDEN: 'Not allowed',
  NOT_FOUND: 'Not found',
  RATE_LIMIT_EXCEEDED: 'Try again later',
  SERVICE_UNAVAILABLE: 'Temporarily unavailable',
  INTERNAL_SERVER_ERROR: 'Something went wrong',
};

/** Replaces error messages written for programs. */
const MESSAGES: Partial<Record<KnownError['code'], string>> = {
  SERVICE_UNAVAILABLE: 'Part of the service is temporarily unavailable. Please try again in a few seconds.',
  INTERNAL_SERVER_ERROR: 'Please try again. If this happens again, give support the correlation ID below.',
};

export function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = knownError(error);
  // The session ended while its page was open.
  if (known?.code === 'UNAUTHORIZED')
    return reply.redirect(signInPath(request.method === 'GET' ? request.url : '/'), 303);
  if (!known) request.log.error({ err: error, correlationId: request.correlationId }, 'Unexpected error on a page');
  const { code, message, details } = known ?? new KnownError('INTERNAL_SERVER_ERROR', '');
  sayRetryAfter(reply, { code, details });
  const title = TITLES[code] ?? 'Request failed';
  return sendPage(
    reply,
    cardPage({
      title,
      body: html`<h1>${title}</h1><p role="alert">${MESSAGES[code] ?? wordsForPeople(message)}</p>
      ${ERROR_TABLE[code].status >= 500 && html`<p class="muted">Correlation ID: <code>${request.correlationId}</code></p>`}
      <p><a href="/">Go to the overview</a></p>`,
    }),
    ERROR_TABLE[code].status,
  );
}

const ROLES = ['owner', 'admin', 'finance', 'member', 'viewer'];

/** Error messages are written for programs: pages call end users customers, and people have roles instead of scopes. */
function wordsForPeople(message: string): string {
  const needed = /^This needs the scope (.+)$/.exec(message)?.[1]?.split(' or ') ?? [];
  const roles = needed.filter((scope) => ROLES.includes(scope));
  if (roles.length > 0) return `Your role does not allow this. It needs the role ${roles.join(' or ')}.`;
  return message.replace(/\bend user\b/, 'customer');
}

function knownError(error: unknown): KnownError | null {
  if (error instanceof KnownError) return error;
  const { statusCode } = error as { statusCode?: number };
  if (statusCode === 413) return new KnownError('PAYLOAD_TOO_LARGE', 'The request is too large.');
  if (statusCode === 415) return new KnownError('UNSUPPORTED_MEDIA_TYPE', 'Submit this as a form.');
  return statusCode !== undefined && statusCode >= 400 && statusCode < 500
    ? new KnownError('VALIDATION_ERROR', 'The request could not be read.')
    : null;
}

/** Unknown URL: a page for people, JSON for programs. */
export function answerUnknown(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.accept?.includes('text/html'))
    return answerFailure(new KnownError('NOT_FOUND', 'This page does not exist.'), request, reply);
  return reply
    .code(404)
    .send({ error: 'not_found', message: `There is no ${request.method} ${request.url.split('?', 1)[0]}` });
}
