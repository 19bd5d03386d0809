/** Sends a page as HTML. */
import type { FastifyReply } from 'fastify';
import type { SignedIn } from './with-session.ts';
import { type Html, print } from '../shell/html.ts';
import { framedPage, type Page } from '../shell/shell.ts';

export function sendPage(reply: FastifyReply, markup: Html, status = 200): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(print(markup));
}

/** Sends a page in the frame of a signed-in person. An error without its own status becomes a 400. */
export function sendFramed(signedIn: SignedIn, page: Page): FastifyReply {
  return sendPage(signedIn.reply, framedPage(signedIn, page), page.status ?? (page.error ? 400 : 200));
}
