/**
 * Stand-in for model providers in their real wire formats: OpenAI's chat, responses and embeddings, Anthropic's
 * messages, Gemini's content. It records what it billed, and can simulate failures.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

interface Billed {
  /** The provider's id of the response, or a generated one if it has none. */
  readonly id: string;
  readonly path: string;
}

/** For the next matching request: a response with this status, or a connection that ends after this many chunks. */
interface ProviderFault {
  times: number;
  readonly status?: number;
  readonly body?: unknown;
  readonly resetAfter?: number;
  /** The stream pauses after this many chunks until it is closed. */
  readonly hangAfter?: number;
  /** The body ends early without any indication. */
  readonly endAfter?: number;
}

export interface ProviderStandIn {
  /** Origin, without a path. */
  readonly url: string;
  readonly billed: Billed[];
  readonly requests: { readonly path: string; readonly headers: IncomingMessage['headers']; readonly body: any }[];
  readonly faults: ProviderFault[];
  /** The body sent last, as it was sent. */
  written: string;
  /** Splits the output into pieces of this many bytes. */
  pieceBytes: number | null;
  stop(): Promise<void>;
}

export const CHAT_USAGE = {
  prompt_tokens: 2006,
  completion_tokens: 300,
  total_tokens: 2306,
  prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 64, audio_tokens: 0, accepted_prediction_tokens: 0 },
};
export const RESPONSES_USAGE = {
  input_tokens: 1200,
  input_tokens_details: { cached_tokens: 1024 },
  output_tokens: 420,
  output_tokens_details: { reasoning_tokens: 256 },
  total_tokens: 1620,
};
export const MESSAGES_USAGE = {
  input_tokens: 21,
  cache_creation_input_tokens: 188,
  cache_read_input_tokens: 2048,
  cache_creation: { ephemeral_5m_input_tokens: 88, ephemeral_1h_input_tokens: 100 },
  output_tokens: 393,
  service_tier: 'standard',
};
export const GEMINI_USAGE = {
  promptTokenCount: 700,
  candidatesTokenCount: 120,
  totalTokenCount: 1020,
  cachedContentTokenCount: 512,
  thoughtsTokenCount: 200,
  promptTokensDetails: [{ modality: 'TEXT', tokenCount: 700 }],
};

interface Script {
  /** True if the last chunk was not requested by the original request. */
  readonly id: string;
  readonly type: string;
  readonly chunks: readonly string[];
}

export async function startProviders(): Promise<ProviderStandIn> {
  let last = 0;
  const server = createServer((request, response) => void serve(request, response).catch(() => response.destroy()));
  const standIn: Omit<ProviderStandIn, 'url' | 'stop'> = {
    billed: [],
    requests: [],
    faults: [],
    written: '',
    pieceBytes: null,
  };
  const background = new Map<string, any>();

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace(/\?.*$/, '');
    const text = await readBody(request);
    const body = text === '' ? {} : JSON.parse(text);
    standIn.requests.push({ path, headers: request.headers, body });
    const fault = standIn.faults.find(({ times }) => times > 0);
    if (fault) fault.times -= 1;
    if (fault?.status !== undefined) {
      response.writeHead(fault.status, { 'content-type': 'application/json', 'retry-after-ms': '1' });
      response.end(JSON.stringify(fault.body ?? { error: { message: 'Injected', type: 'server_error' } }));
      return;
    }
    const script = scriptOf(request.method ?? '', path, body);
    if (script === null) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"error":{"message":"No such path"}}');
      return;
    }
    if (script.id !== '') standIn.billed.push({ id: script.id, path });
    await write(response, script, fault);
  }

  async function write(response: ServerResponse, { type, chunks }: Script, fault?: ProviderFault): Promise<void> {
    standIn.written = chunks.join('');
    response.writeHead(200, { 'content-type': type, 'x-request-id': `req_${last}` });
    response.flushHeaders();
    const whole = Buffer.from(chunks.join(''));
    const size = standIn.pieceBytes;
    const pieces =
      size === null
        ? chunks.map((chunk) => Buffer.from(chunk))
        : Array.from({ length: Math.ceil(whole.length / size) }, (_, at) => whole.subarray(at * size, (at + 1) * size));
    for (const [index, piece] of pieces.entries()) {
      if (index === fault?.resetAfter) return void response.socket?.resetAndDestroy();
      if (index === fault?.endAfter) return void response.end();
      if (index === fault?.hangAfter) return;
      response.write(piece);
      // Each piece is sent in its own packet.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (fault?.resetAfter !== undefined) return void response.socket?.resetAndDestroy();
    response.end();
  }

  function scriptOf(method: string, path: string, body: any): Script | null {
    const number = String((last += 1)).padStart(8, '0');
    const json = (id: string, value: unknown, at = 40): Script => {
      const text = JSON.stringify(value);
      return { id, type: 'application/json', chunks: [text.slice(0, at), text.slice(at)] };
    };
    const events = (id: string, list: readonly unknown[], isNamed = false, end = ''): Script => ({
      id,
      type: 'text/event-stream; charset=utf-8',
      chunks: [
        ...list.map((one: any) => `${isNamed ? `event: ${one.type}\n` : ''}data: ${JSON.stringify(one)}\n\n`),
        ...(end === '' ? [] : [end]),
      ],
    });
    if (method === 'GET') {
      const waiting = background.get(path);
      if (!waiting) return null;
      waiting.polls += 1;
      const isDone = waiting.polls > 1;
      return json(isDone ? waiting.body.id : '', {
        ...waiting.body,
        status: isDone ? 'completed' : 'in_progress',
        usage: isDone ? RESPONSES_USAGE : null,
      });
    }
    if (path.endsWith('/chat/completions')) return chat(`chatcmpl-${number}`, body, json, events);
    if (path.endsWith('/responses')) {
      const id = `resp_${number}`;
      const whole = responseBody(id, body);
      if (body.background) {
        background.set(`${path}/${id}`, { polls: 0, body: whole });
        return json('', { ...whole, status: 'queued', usage: null, output: [] });
      }
      return body.stream ? events(id, responseEvents(whole), true) : json(id, whole);
    }
    if (path.endsWith('/embeddings')) {
      const data = [{ object: 'embedding', index: 0, embedding: [0.25, -0.5] }];
      const usage = { prompt_tokens: 12, total_tokens: 12 };
      return json(`embedding-${number}`, { object: 'list', data, model: body.model, usage });
    }
    if (path.endsWith('/messages')) return messages(`msg_${number}`, body, json, events);
    const [, model, verb] = /\/models\/([^:]+):(\w+)$/.exec(path) ?? [];
    if (model === undefined) return null;
    const parts = (text: string, more: object) => ({
      candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }],
      modelVersion: model,
      responseId: `gem${number}`,
    });
    const usageMetadata = GEMINI_USAGE;
    if (verb === 'generateContent')
      return json(`gem${number}`, { ...parts('Three', { finishReason: 'STOP' }), usageMetadata });
    if (verb !== 'streamGenerateContent') return null;
    const early = {
      promptTokenCount: 700,
      totalTokenCount: 705,
      candidatesTokenCount: 5,
      cachedContentTokenCount: 512,
    };
    return events(`gem${number}`, [
      { ...parts('Th', {}), usageMetadata: early },
      { ...parts('re', {}), usageMetadata: early },
      { ...parts('e', { finishReason: 'STOP' }), usageMetadata },
    ]);
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(standIn, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

type Json = (id: string, value: unknown) => Script;
type Events = (id: string, list: readonly unknown[], isNamed?: boolean, end?: string) => Script;

function chat(id: string, body: any, json: Json, events: Events): Script {
  const head = { id, created: 1_770_933_892, model: body.model, service_tier: 'default', system_fingerprint: 'fp_0' };
  const wantsTool = body.tools && !body.messages.some((one: any) => one.role === 'tool');
  const call = {
    id: 'call_1',
    type: 'function',
    function: { name: body.tools?.[0]?.function.name, arguments: '{"city":"Bern"}' },
  };
  const message = wantsTool
    ? { role: 'assistant', content: null, tool_calls: [call] }
    : { role: 'assistant', content: 'Three.', refusal: null };
  const finish_reason = wantsTool ? 'tool_calls' : 'stop';
  const indexes = Array.from({ length: body.n ?? 1 }, (_, index) => index);
  if (!body.stream) {
    const choices = indexes.map((index) => ({ index, message, logprobs: null, finish_reason }));
    return json(id, { ...head, object: 'chat.completion', choices, usage: CHAT_USAGE });
  }
  const isCounted = body.stream_options?.include_usage === true;
  const chunk = (index: number, delta: object, reason: string | null) => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index, delta, logprobs: null, finish_reason: reason }],
    ...(isCounted ? { usage: null } : {}),
  });
  const deltas = wantsTool
    ? [{ role: 'assistant', content: null, tool_calls: [{ index: 0, ...call }] }]
    : [{ role: 'assistant', content: '' }, { content: 'Th' }, { content: 'ré' }, { content: 'e.' }];
  const chunks: unknown[] = [
    ...deltas.flatMap((delta) => indexes.map((index) => chunk(index, delta, null))),
    ...indexes.map((index) => chunk(index, {}, finish_reason)),
  ];
  if (isCounted) chunks.push({ ...head, object: 'chat.completion.chunk', choices: [], usage: CHAT_USAGE });
  return events(id, chunks, false, 'data: [DONE]\n\n');
}

function responseBody(id: string, body: any): any {
  const wantsTool = body.tools?.length > 0 && !JSON.stringify(body.input).includes('function_call_output');
  const text = { type: 'output_text', text: 'Three.', annotations: [], logprobs: [] };
  const output = wantsTool
    ? {
        id: 'fc_1',
        type: 'function_call',
        call_id: 'call_1',
        name: body.tools[0].name,
        arguments: '{"city":"Bern"}',
        status: 'completed',
      }
    : { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [text] };
  return {
    id,
    object: 'response',
    created_at: 1_764_964_102,
    status: 'completed',
    background: body.background ?? false,
    error: null,
    incomplete_details: null,
    instructions: null,
    metadata: {},
    model: body.model,
    output: [output],
    parallel_tool_calls: true,
    service_tier: 'default',
    tools: [],
    usage: RESPONSES_USAGE,
  };
}

function responseEvents(whole: any): unknown[] {
  const [item] = whole.output;
  const begun = { ...whole, status: 'in_progress', output: [], usage: null };
  const at = { output_index: 0, content_index: 0, item_id: item.id };
  const inner =
    item.type === 'message'
      ? [
          {
            type: 'response.output_item.added',
            output_index: 0,
            item: { ...item, status: 'in_progress', content: [] },
          },
          { type: 'response.content_part.added', ...at, part: { ...item.content[0], text: '' } },
          { type: 'response.output_text.delta', ...at, delta: 'Thr', logprobs: [] },
          { type: 'response.output_text.delta', ...at, delta: 'ee.', logprobs: [] },
          { type: 'response.output_text.done', ...at, text: 'Three.', logprobs: [] },
          { type: 'response.content_part.done', ...at, part: item.content[0] },
        ]
      : [{ type: 'response.output_item.added', output_index: 0, item }];
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...inner,
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: whole },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

function messages(id: string, body: any, json: Json, events: Events): Script {
  const wantsTool = body.tools && !JSON.stringify(body.messages).includes('tool_result');
  const block = wantsTool
    ? { type: 'tool_use', id: 'toolu_1', name: body.tools[0].name, input: { city: 'Bern' } }
    : { type: 'text', text: 'Three.' };
  const stop_reason = wantsTool ? 'tool_use' : 'end_turn';
  const head = { id, type: 'message', role: 'assistant', model: body.model, stop_sequence: null };
  if (!body.stream) return json(id, { ...head, content: [block], stop_reason, usage: MESSAGES_USAGE });
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = MESSAGES_USAGE;
  const delta = wantsTool
    ? [
        { type: 'input_json_delta', partial_json: '{"city":' },
        { type: 'input_json_delta', partial_json: '"Bern"}' },
      ]
    : [
        { type: 'text_delta', text: 'Thr' },
        { type: 'text_delta', text: 'ee.' },
      ];
  return events(
    id,
    [
      {
        type: 'message_start',
        message: { ...head, content: [], stop_reason: null, usage: { ...MESSAGES_USAGE, output_tokens: 1 } },
      },
      {
        type: 'content_block_start',
        index: 0,
        content_block: wantsTool ? { ...block, input: {} } : { type: 'text', text: '' },
      },
      { type: 'ping' },
      ...delta.map((one) => ({ type: 'content_block_delta', index: 0, delta: one })),
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason, stop_sequence: null },
        usage: { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens },
      },
      { type: 'message_stop' },
    ],
    true,
  );
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
