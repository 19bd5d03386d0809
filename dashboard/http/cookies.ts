/** The cookies of the pages. No script can read them, and no other site's form brings them along. */
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply } from 'fastify';
import { SESSION_COOKIE } from '../../schema/session-cookie.ts';

/** Binds the forms before a sign-in to a browser. */
export const VISIT_COOKIE = 'visit';
/** Between the password and the second factor. */
export const ATTEMPT_COOKIE = 'sign_in_attempt';

const SIGN_IN_PATH = '/sign-in';

function options(isSecure: boolean, path: string): CookieSerializeOptions {
  return { httpOnly: true, sameSite: 'lax', secure: isSecure, path };
}

/** `expiresAt` is ISO 8601. */
export function keepSession(reply: FastifyReply, isSecure: boolean, { token, expiresAt }: { token: string; expiresAt: string }): void {
  reply.setCookie(SESSION_COOKIE, token, { ...options(isSecure, '/'), expires: new Date(expiresAt) });
  reply.clearCookie(ATTEMPT_COOKIE, options(isSecure, SIGN_IN_PATH));
  reply.clearCookie(VISIT_COOKIE, options(isSecure, SIGN_IN_PATH));
}

export function dropSession(reply: FastifyReply, isSecure: boolean): void {
  reply.clearCookie(SESSION_COOKIE, options(isSecure, '/'));
}

export function keepVisit(reply: FastifyReply, isSecure: boolean, visit: string): void {
  reply.setCookie(VISIT_COOKIE, visit, options(isSecure, SIGN_IN_PATH));
}

export function keepAttempt(reply: FastifyReply, isSecure: boolean, { token, expiresAt }: { token: string; expiresAt: string }): void {
  reply.setCookie(ATTEMPT_COOKIE, token, { ...options(isSecure, SIGN_IN_PATH), expires: new Date(expiresAt) });
}

export function dropAttempt(reply: FastifyReply, isSecure: boolean): void {
  reply.clearCookie(ATTEMPT_COOKIE, options(isSecure, SIGN_IN_PATH));
}
