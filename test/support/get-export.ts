/** Requests an export with a key. */
export interface ExportAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: ArrayBuffer;
  readonly text: string;
  /** The envelope of an error. */
  readonly body: any;
}

export async function getExport(url: string, path: string, key: string | null): Promise<ExportAnswer> {
  const response = await fetch(`${url}/ext/v1/exports/${path}`, {
    headers: key === null ? {} : { authorization: `Bearer ${key}` },
  });
  const bytes = await response.arrayBuffer();
  const text = Buffer.from(bytes).toString();
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text,
    body: response.ok ? null : JSON.parse(text),
  };
}
