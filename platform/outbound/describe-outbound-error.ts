/** Describes why a request failed, for the person who configured its address. Resolved addresses are not revealed. */
import { HOST_NOT_USABLE, OutboundRefused } from './outbound-client.ts';

const REASONS: Readonly<Record<string, string>> = {
  ENOTFOUND: HOST_NOT_USABLE,
  EAI_AGAIN: 'its host name cannot be resolved right now',
  ECONNREFUSED: 'its host refused the connection',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ETIMEDOUT: 'its host does not respond',
  EHOSTUNREACH: 'its host cannot be reached',
  ENETUNREACH: 'its host cannot be reached',
  UND_ERR_CONNECT_TIMEOUT: 'its host does not respond',
  UND_ERR_HEADERS_OVERFLOW: 'the response has too many headers',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is signed by an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is signed by an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is signed by an unknown authority',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** A clause without a full stop. */
export function describeOutboundError(error: unknown): string {
  if (error instanceof OutboundRefused) return error.message;
  const { name, code, errors } = error as { name?: string; code?: string; errors?: readonly unknown[] };
  if (name === 'TimeoutError') return 'the response timed out';
  // All addresses failed.
  if (code === undefined && errors?.[0] !== undefined) return describeOutboundError(errors[0]);
  if (code === undefined) return 'it cannot be reached';
  if (code.startsWith('HPE_')) return 'the response is not HTTP';
  return REASONS[code] ?? (code.startsWith('ERR_SSL_') ? 'the TLS handshake failed' : 'it cannot be reached');
}
