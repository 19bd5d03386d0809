import { expect, it } from 'vitest';
import { html, print } from '../../../dashboard/shell/html.ts';

it('text is escaped, markup is not escaped twice', () => {
  const name = '<b class="x">\'&\'</b>';
  expect(print(html`<p title="${name}">${html`<i>${name}</i>`}</p>`)).toBe(
    '<p title="&lt;b class=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/b&gt;"><i>&lt;b class=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/b&gt;</i></p>',
  );
});

it('lists are joined; null, undefined and false print nothing; zero is printed', () => {
  expect(print(html`${['a', html`<br>`, null, undefined, false, 0]}`)).toBe('a<br>0');
});

it('JSON is never interpreted as markup', () => {
  const forged = JSON.parse('{"markup":"<script>","toString":"<script>"}') as never;
  expect(() => print(html`${forged}`)).toThrow();
});
