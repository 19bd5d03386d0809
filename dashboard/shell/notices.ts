/** What a page says after an act on it: the address names the sentence, so that no one can put words in our mouth. */

const NOTICES: Readonly<Record<string, string>> = {
  'signed-out': 'You are signed out.',
  'attempt-void': 'Too many wrong codes, or the sign-in took too long. Please begin again.',
  'session-ended': 'That device is signed out.',
  'others-ended': 'All other devices are signed out.',
  'key-revoked': 'The key is revoked. It stopped working at once.',
  'password-changed': 'Your password is changed, and all other devices are signed out.',
  'role-changed': 'The role is changed. It counts at once.',
  'account-disabled': 'The account is disabled: its devices are signed out and its keys are revoked.',
  'account-enabled': 'The account is enabled. Its old keys stay revoked.',
  'account-removed': 'The account is removed, and its keys are revoked.',
  'person-signed-out': 'Every device of this person is signed out.',
  'second-factor-reset': 'Two-step sign-in and passkeys are taken off, and every device of this person is signed out.',
  'invitation-revoked': 'The invitation is taken back. Its link opens nothing.',
  'account-made': 'Your account is ready. Sign in with the password that you have just chosen.',
  'password-reset': 'Your password is changed, and every device is signed out. Sign in with the new one.',
  'second-factor-required': 'Everybody needs a second factor from now on.',
  'second-factor-optional': 'Everybody chooses whether to have a second factor.',
  'passkey-added': 'The passkey is added.',
  'passkey-renamed': 'The passkey has its new name.',
  'passkey-removed': 'The passkey is removed, and all other devices are signed out.',
  'verification-begun': 'All days are being verified. Look again in a moment.',
  'rebuild-begun': 'The breakdowns are being rebuilt from the ledger. Below you see how far it is.',
  'operation-cancelled': 'It is cancelled: what was done stays, and it can be resumed.',
  'operation-resumed': 'It goes on, with what it was begun with.',
  'months-closed': 'The months are closed, costs and revenue.',
  'months-reopened': 'The months are open again.',
  'sync-begun': 'Everything is being read again. Look again in a moment.',
  'payments-connected': 'The account is connected, and its first sync has begun. Look again in a moment.',
  'payments-disconnected': 'The account is disconnected. Its key is forgotten.',
  'sync-requested': 'A sync begins. Look again in a moment.',
  'customer-linked': 'The customer is linked. It counts at once, for past revenue too.',
  'customer-unlinked': 'The link is taken back.',
  'erasure-begun': 'The end user is being erased. The record below says when that has finished.',
  'retention-set': 'It counts from now on; older metadata is dropped within minutes.',
  'contexts-wait': 'Such calls wait for a price from now on. What is booked stays.',
  'contexts-at-base': 'Such calls are priced from now on; those that waited follow within seconds.',
  'organization-deleted': 'The organization is deleted. What is left of it goes within minutes.',
  'second-factor-off': 'Two-step sign-in is off, and all other devices are signed out.',
};

export function noticeOf(query: URLSearchParams): string | null {
  const name = query.get('done') ?? '';
  return Object.hasOwn(NOTICES, name) ? (NOTICES[name] ?? null) : null;
}
