/** What a page says after an act on it: the address names the sentence, so that nobody can put words in our mouth. */

const NOTICES: Readonly<Record<string, string>> = {
  'signed-out': 'You are signed out.',
  'attempt-void': 'Too many wrong codes, or the sign-in took too long. Please begin again.',
  'session-ended': 'That device is signed out.',
  'others-ended': 'All other devices are signed out.',
  'key-revoked': 'The key is revoked. It stopped working at once.',
  'password-changed': 'Your password is changed, and all other devices are signed out.',
  'second-factor-off': 'Two-step sign-in is off, and all other devices are signed out.',
};

export function noticeOf(query: URLSearchParams): string | null {
  const name = query.get('done') ?? '';
  return Object.hasOwn(NOTICES, name) ? NOTICES[name] ?? null : null;
}
