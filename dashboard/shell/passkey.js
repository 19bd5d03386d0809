/** Hands what the page holds to an authenticator, and the answer to the page's form. It asks nothing of the network. */
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
// Browsers that want a press of the button first say so, and then it is there.
void run();
