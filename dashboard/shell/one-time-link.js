/** Copies the code of a one-time link from the URL's fragment into the page's form. Servers never see fragments. */
const form = document.querySelector('form[data-one-time-link]');
const code = location.hash.slice(1);

if (code !== '') {
  history.replaceState(null, '', location.pathname);
  form.elements.token.value = code;
  form.submit();
}
