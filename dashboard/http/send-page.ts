/** Sends a page as HTML. */
import type { FastifyReply } from 'fastify';
import type { Person } from './for-people.ts';
import { type Html, print } from '../shell/html.ts';
import { framedPage, type Page } from '../shell/shell.ts';

export function sendPage(reply: FastifyReply, markup: Html, status = 200): FastifyReply {
  return reply.code(status).type('text/html; charset=utf-8').send(print(markup));
}

/** Within the frame of somebody who is signed in. An error without a status of its own is a 400. */
export function sendFramed(person: Person, page: Page): FastifyReply {
  return sendPage(person.reply, framedPage(person, page), page.status ?? (page.error ? 400 : 200));
}
