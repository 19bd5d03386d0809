/** Snippets that send the first event, with the person's own key. */
import { html, type Html } from '../../shell/html.ts';

/** One click selects all of it. */
function lines(title: string, about: string, text: string): Html {
  const id = title.toLowerCase().replaceAll(/[^a-z]+/g, '-');
  return html`
<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2><p class="muted">${about}</p>
  <pre class="lines" tabindex="0" aria-labelledby="${id}"><code>${text}</code></pre></section>`;
}

/** `isUnsigned`: true if the key may send unsigned bodies. */
export function firstLines(apiOrigin: string, key: string, isUnsigned: boolean): Html {
  return html`
${lines('In a shell', 'A signed request with curl and openssl, for Linux and macOS.', curl(apiOrigin, key))}
${lines('In Node', 'Save as first-event.mjs and run node first-event.mjs. The ai-product-books-sdk library does this for your model calls.', node(apiOrigin, key))}
${isUnsigned && lines('With OpenTelemetry', 'For anything that exports traces of model calls over HTTP.', otlp(apiOrigin, key))}`;
}

function curl(apiOrigin: string, key: string): string {
  return `KEY='${key}'
BODY='[{"idempotency_key":"first-'$(date +%s)'","model":"gpt-4o","provider":"openai","input_tokens":1000,"output_tokens":100,"event_invoked_at":"'$(date -u +%FT%TZ)'","user_id":"customer-1","agent_id":"support"}]'
TIME=$(date +%s)
SIGNATURE=$(printf '%s.%s' "$TIME" "$BODY" | openssl dgst -sha256 -hmac "$KEY" -r | cut -d' ' -f1)
curl -s ${apiOrigin}/v1/usage-events/batch -d "$BODY" -H "Authorization: Bearer $KEY" \\
  -H 'Content-Type: application/json' -H "X-Timestamp: $TIME" -H "X-Signature: v1=$SIGNATURE"`;
}

function node(apiOrigin: string, key: string): string {
  return `import { createHmac, randomUUID } from 'node:crypto';

const key = '${key}';
const body = JSON.stringify([{
  idempotency_key: randomUUID(), model: 'gpt-4o', provider: 'openai', input_tokens: 1000, output_tokens: 100,
  event_invoked_at: new Date().toISOString(), user_id: 'customer-1', agent_id: 'support',
}]);
const time = Math.floor(Date.now() / 1000);
const signature = createHmac('sha256', key).update(\`\${time}.\${body}\`).digest('hex');
const answer = await fetch('${apiOrigin}/v1/usage-events/batch', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${key}\`, 'content-type': 'application/json',
    'x-timestamp': String(time), 'x-signature': \`v1=\${signature}\`,
  },
  body,
});
console.log(answer.status, await answer.text());`;
}

function otlp(apiOrigin: string, key: string): string {
  return `export OTEL_EXPORTER_OTLP_ENDPOINT=${apiOrigin}/otlp
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer ${key}"
export OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf`;
}
