/** Passes the page's options to an authenticator, and its response to the page's form. Makes no network requests. */
const form = document.querySelector('form[data-passkey]');
const problem = document.querySelector('#passkey-problem');
const { startAuthentication, startRegistration } = window.SimpleWebAuthnBrowser;

const PROBLEMS = {
  InvalidStateError: 'This device has a passkey of this account already.',
  SecurityError: `Passkeys work at ${form.dataset.origin} alone: open this page there.`,
  NotSupportedError: 'This device cannot make a passkey that it unlocks for you.',
};
const NOTHING = 'Nothing came back from the passkey. Press the button to try again.';

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
