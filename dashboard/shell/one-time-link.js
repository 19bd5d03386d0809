/** Hands the code of a one-time link, which stands in the fragment of the address, to the page's form. No server sees a fragment. */
const form = document.querySelector('form[data-one-time-link]');
const code = location.hash.slice(1);

if (code !== '') {
  history.replaceState(null, '', location.pathname);
  form.elements.token.value = code;
  form.submit();
}
