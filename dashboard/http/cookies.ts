/** Cookies of the pages. Scripts cannot read them, and forms of other sites do not send them. */
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { cookieName, SESSION_COOKIE } from '#schema/session-cookie.ts';

/** Binds forms shown before sign-in to a browser. */
export const VISIT_COOKIE = 'visit';
/** Identifies a sign-in between the password and the second factor. */
export const ATTEMPT_COOKIE = 'sign_in_attempt';

/** The period that a person has chosen. */
export const PERIOD_COOKIE = 'period';

const SIGN_IN_PATH = '/sign-in';

/** With https, cookies apply to all paths: the prefix of their names requires it. */
function options(isSecure: boolean, path: string): CookieSerializeOptions {
  return { httpOnly: true, sameSite: 'lax', secure: isSecure, path: isSecure ? '/' : path };
}

export function cookieOf({ cookies }: FastifyRequest, isSecure: boolean, name: string): string | undefined {
  return cookies[cookieName(name, isSecure)];
}

/** `expiresAt` is ISO 8601. */
export function keepSession(
  reply: FastifyReply,
  isSecure: boolean,
  { token, expiresAt }: { token: string; expiresAt: string },
): void {
  reply.setCookie(cookieName(SESSION_COOKIE, isSecure), token, {
    ...options(isSecure, '/'),
    expires: new Date(expiresAt),
  });
  drop(reply, isSecure, ATTEMPT_COOKIE, SIGN_IN_PATH);
  drop(reply, isSecure, VISIT_COOKIE, SIGN_IN_PATH);
}

export function dropSession(reply: FastifyReply, isSecure: boolean): void {
  drop(reply, isSecure, SESSION_COOKIE, '/');
}

export function keepVisit(reply: FastifyReply, isSecure: boolean, visit: string): void {
  reply.setCookie(cookieName(VISIT_COOKIE, isSecure), visit, options(isSecure, SIGN_IN_PATH));
}

export function keepAttempt(
  reply: FastifyReply,
  isSecure: boolean,
  { token, expiresAt }: { token: string; expiresAt: string },
): void {
  reply.setCookie(cookieName(ATTEMPT_COOKIE, isSecure), token, {
    ...options(isSecure, SIGN_IN_PATH),
    expires: new Date(expiresAt),
  });
}

export function keepPeriod(reply: FastifyReply, isSecure: boolean, period: string): void {
  reply.setCookie(cookieName(PERIOD_COOKIE, isSecure), period, options(isSecure, '/'));
}

export function dropAttempt(reply: FastifyReply, isSecure: boolean): void {
  drop(reply, isSecure, ATTEMPT_COOKIE, SIGN_IN_PATH);
}

function drop(reply: FastifyReply, isSecure: boolean, name: string, path: string): void {
  reply.clearCookie(cookieName(name, isSecure), options(isSecure, path));
}
