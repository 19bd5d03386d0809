/** Follows a confirmation link, from the mail to the mutation of our own pages. */

/** Like our own pages, without an organization. */
export const EDGE = { grants: ['sign-in'], organization: null };

export const CONFIRM = 'mutation ($token: String!) { confirmAlertChannel(token: $token) { address } }';
export const LOOK = 'query ($token: String!) { alertChannelConfirmation(token: $token) { address } }';

/** The code in a mail's link, as encoded there. */
export function codeIn(mail: string): string {
  const text = mail.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=');
  const link = /https:\/\/books\.example\/confirm-address(\S*)/.exec(text);
  if (link === null) throw new Error(`The mail has no link: ${mail}`);
  const code = /^#([\w-]{43})$/.exec(link[1]!)?.[1];
  if (code === undefined) throw new Error(`The code is not in the fragment of the link: ${link[0]}`);
  return code;
}
