/** Passes the page's options to an authenticator, and its response to the page's form. Makes no network requests. */
const form = document.querySelector('form[data-passkey]');
const problem = document.querySelector('#passkey-problem');
const { startAuthentication, startRegistration } = window.SimpleWebAuthnBrowser;

const PROBLEMS = {
  InvalidStateError: 'This device already has a passkey for this account.',
  SecurityError: `Passkeys work only at ${form.dataset.origin}: open this page there.`,
  NotSupportedError: 'This device cannot create a passkey that requires your fingerprint, face or PIN.',
};
const NOTHING = 'The passkey did not respond. Press the button to try again.';

async function run() {
  problem.hidden = true;
  const start = form.dataset.passkey === 'create' ? startRegistration : startAuthentication;
  try {
    const response = await start({ optionsJSON: JSON.parse(form.dataset.options) });
    form.elements.response.value = JSON.stringify(response);
    form.submit();
  } catch (error) {
    problem.textContent = PROBLEMS[error.name] ?? NOTHING;
    problem.hidden = false;
  }
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  void run();
});
form.querySelector('button').hidden = false;
// Browsers that require a user gesture show an error here; the button then works.
void run();
