/**
 * Ids as types, so that the compiler refuses an end user's id where an organization's is expected. Any other string is
 * accepted: ids come from requests, rows and the graph as plain text.
 */

/** Exists only as a type. */
declare const of: unique symbol;

type Id<Name extends string> = string & { readonly [of]?: Name };

/** A UUID. Every statement on data of an organization names it. */
export type OrganizationId = Id<'organization'>;

/** A UUID computed from the id that the organization's own system uses (`kernel/end-user-id.ts`). */
export type EndUserId = Id<'end user'>;

/** The UUID that an event gets when it is received. */
export type EventId = Id<'event'>;

/** A UUID. */
export type ApiKeyId = Id<'API key'>;

/** The UUID of a person who signs in. */
export type AccountUserId = Id<'account user'>;
