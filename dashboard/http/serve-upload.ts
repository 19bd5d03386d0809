/**
 * A form with a file. The body is read only after the session is checked, and one at a time for each organization, since
 * a file is in memory until it is imported.
 */
import type { FastifyInstance, FastifyReply } from 'fastify';
import { parseBodies } from '#platform/request-body/parse-bodies.ts';
import { SESSION_COOKIE } from '#schema/session-cookie.ts';
import { fail } from '#kernel/errors.ts';
import { isAdmin } from '../figures/account-user.ts';
import { cookieOf } from './cookies.ts';
import type { Dependencies } from './dependencies.ts';
import { FormWithFile, readFormWithFile } from './form-with-file.ts';
import { type SignedIn, withSession } from './with-session.ts';

const UPLOADS_MAX = 4;
/** Fields of the form around the file. */
const FORM_BYTES = 16 * 1024;

interface Upload {
  readonly path: string;
  readonly bytesMax: number;
  /** Error message for callers who are neither owner nor admin. */
  readonly forbidden: string;
  /** `file` is empty if none was chosen. */
  readonly answer: (signedIn: SignedIn, file: Buffer) => Promise<FastifyReply>;
}

export function serveUpload(
  pages: FastifyInstance,
  dependencies: Dependencies,
  { path, bytesMax, forbidden, answer }: Upload,
): void {
  const { gateway, isSecure } = dependencies;
  void pages.register(async (upload) => {
    const uploading = new Set<string>();
    upload.addHook('onRequest', async (request, reply) => {
      const token = cookieOf(request, isSecure, SESSION_COOKIE);
      const principal =
        token === undefined ? null : await gateway.authenticate({ kind: 'session', token }, request.correlationId);
      if (principal?.kind !== 'session') fail('UNAUTHORIZED', 'Sign in first');
      if (!isAdmin(principal)) fail('FORBIDDEN', forbidden);
      const organizationId = principal.organizationId ?? '';
      if (uploading.has(organizationId) || uploading.size >= UPLOADS_MAX)
        fail('RATE_LIMIT_EXCEEDED', 'Import in progress: wait until it is finished');
      uploading.add(organizationId);
      reply.raw.once('close', () => uploading.delete(organizationId));
    });
    parseBodies(
      upload,
      'multipart/form-data',
      () => ({ bytesMax: bytesMax + FORM_BYTES }),
      (sent, request) => readFormWithFile(sent, request.headers['content-type'] ?? ''),
    );
    upload.post(
      path,
      withSession(dependencies, (signedIn) =>
        answer(signedIn, signedIn.form instanceof FormWithFile ? signedIn.form.file : Buffer.alloc(0)),
      ),
    );
  });
}
