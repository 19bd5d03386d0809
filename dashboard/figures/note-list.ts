/** Adds, deletes and lists notes; for notes on days and for comments on an alert. */
import { askGateway } from '#platform/ask-gateway.ts';
import type { KnownError } from '#kernel/errors.ts';
import { graphql, type VariablesOf } from '#schema/graphql.ts';
import { dateInWords } from '#kernel/time/in-words.ts';
import type { Principal } from '#platform/principal.ts';
import { csrfField } from '../http/form.ts';
import { outcomeOf } from '../http/outcome-of.ts';
import type { SignedIn } from '../http/with-session.ts';
import { html, type Html } from '../shell/html.ts';
import { isAdmin, listAccountUsers } from './account-user.ts';
import { formatInstant } from './instant.ts';
import type { Dependencies } from '../http/dependencies.ts';

const ADD = graphql(`mutation AddNote($input: NoteAddInput!) {
  noteAdd(input: $input) { userErrors { message code } }
}`);
const DELETE = graphql(`mutation DeleteNote($id: ID!) {
  noteDelete(input: { id: $id }) { userErrors { message code } }
}`);

export interface ShownNote {
  readonly id: string;
  readonly day: string | null;
  readonly text: string;
  readonly writtenAt: string;
  readonly writtenBy: string | null;
}

const TEXT_MAX = 1_000;

/** Returns why the note was not added; null if it was. */
export async function addNote(
  { gateway }: Pick<Dependencies, 'gateway'>,
  principal: Principal,
  input: VariablesOf<'AddNote'>['input'],
): Promise<KnownError | null> {
  return (await outcomeOf(askGateway(gateway, ADD, { input }, principal))).error;
}

/** Returns why the note was not deleted; null if it was. */
export async function deleteNote(
  { gateway }: Pick<Dependencies, 'gateway'>,
  principal: Principal,
  id: string,
): Promise<KnownError | null> {
  return (await outcomeOf(askGateway(gateway, DELETE, { id }, principal))).error;
}

/** Everybody but viewers, and not in sample data. */
export function mayWriteNotes({ grants, sampleOf }: Principal): boolean {
  return sampleOf === undefined && ['owner', 'admin', 'member', 'finance'].some((role) => grants.includes(role));
}

/** E-mail addresses by account user id; empty for people who may not read others' addresses. */
export async function authorsOf(
  { gateway }: Pick<Dependencies, 'gateway'>,
  principal: Principal,
): Promise<ReadonlyMap<string, string>> {
  if (!isAdmin(principal)) return new Map();
  const { accountUsers } = await listAccountUsers(gateway, principal);
  return new Map(accountUsers.map(({ id, email }) => [id, email]));
}

/** `action`: the path that deletes, followed by the note's id. */
export function noteList(
  { csrf, principal }: SignedIn,
  notes: readonly ShownNote[],
  authors: ReadonlyMap<string, string>,
  action: string,
): Html {
  const mayDelete = ({ writtenBy }: ShownNote) =>
    mayWriteNotes(principal) && (isAdmin(principal) || writtenBy === principal.accountUserId);
  return html`
<ul class="notes">${notes.map(
    (note) => html`
  <li id="note-${note.id}">${note.day !== null && html`<h3><a href="/costs?from=${note.day}&amp;to=${note.day}">${dateInWords(new Date(note.day))}</a></h3>`}
    <p class="note-text">${note.text}</p>
    <p class="muted">${authorOf(note, principal, authors)}, ${formatInstant(note.writtenAt)}</p>
    ${mayDelete(note) && html`<form method="post" action="${action}/${note.id}/delete">${csrfField(csrf)}<button class="secondary">Delete<span class="unseen"> this note</span></button></form>`}
  </li>`,
  )}</ul>`;
}

export function noteTextField(label: string, value: string): Html {
  return html`<label>${label} <textarea name="text" rows="3" maxlength="${TEXT_MAX}" required>${value}</textarea></label>`;
}

function authorOf({ writtenBy }: ShownNote, principal: Principal, authors: ReadonlyMap<string, string>): string {
  if (writtenBy === null) return 'The operator';
  return writtenBy === principal.accountUserId ? 'You' : (authors.get(writtenBy) ?? 'Another person');
}
