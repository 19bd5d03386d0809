/** A software authenticator and the browser in front of it: WebAuthn's wire format, ES256, attestation `none`. */
import { createHash, createSign, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';

interface Held {
  readonly id: Buffer;
  readonly rpId: string;
  readonly privateKey: KeyObject;
  readonly userHandle: string;
  counter: number;
}

/** A test's changes to a valid response. */
export interface Lies {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly type?: string;
  readonly crossOrigin?: boolean;
  readonly isUserVerified?: boolean;
  readonly counter?: number;
  readonly userHandle?: string;
  readonly credentialId?: string;
}

const FLAG = { userPresent: 0x01, userVerified: 0x04, attestedCredential: 0x40 } as const;
const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

export class Authenticator {
  readonly held: Held[] = [];
  readonly origin: string;
  readonly counts: boolean;

  /** Authenticators without a counter always send 0, as synced passkeys do. */
  constructor(origin: string, counts = true) {
    this.origin = origin;
    this.counts = counts;
  }

  /** `navigator.credentials.create`: the `RegistrationResponseJSON`. */
  create(options: any, lies: Lies = {}): any {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
    const id = lies.credentialId === undefined ? randomBytes(32) : Buffer.from(lies.credentialId, 'base64url');
    const held = { id, rpId: options.rp.id as string, privateKey, userHandle: options.user.id as string, counter: 0 };
    this.held.push(held);
    // COSE_Key: kty EC2, alg ES256, crv P-256, x, y.
    const coseKey = cbor(
      new Map<number, unknown>([
        [1, 2],
        [3, -7],
        [-1, 1],
        [-2, Buffer.from(x, 'base64url')],
        [-3, Buffer.from(y, 'base64url')],
      ]),
    );
    const length = Buffer.alloc(2);
    length.writeUInt16BE(id.length);
    const authData = Buffer.concat([
      this.#authenticatorData(held, FLAG.attestedCredential, lies),
      Buffer.alloc(16),
      length,
      id,
      coseKey,
    ]);
    return {
      id: id.toString('base64url'),
      rawId: id.toString('base64url'),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: this.#clientData('webauthn.create', options.challenge, lies).toString('base64url'),
        attestationObject: cbor(
          new Map<string, unknown>([
            ['fmt', 'none'],
            ['attStmt', new Map()],
            ['authData', authData],
          ]),
        ).toString('base64url'),
        transports: ['internal'],
      },
    };
  }

  /** `navigator.credentials.get`: the `AuthenticationResponseJSON`. Throws if it has none of the accepted passkeys. */
  get(options: any, lies: Lies = {}): any {
    const wanted = (options.allowCredentials ?? []) as { id: string }[];
    const held = this.held.find(
      ({ rpId, id }) =>
        rpId === options.rpId && (wanted.length === 0 || wanted.some((one) => one.id === id.toString('base64url'))),
    );
    if (!held) throw new Error('The authenticator holds no such passkey');
    if (this.counts) held.counter += 1;
    const authData = this.#authenticatorData(held, 0, lies);
    const clientData = this.#clientData('webauthn.get', options.challenge, lies);
    const signature = createSign('sha256')
      .update(Buffer.concat([authData, sha256(clientData)]))
      .sign(held.privateKey);
    return {
      id: held.id.toString('base64url'),
      rawId: held.id.toString('base64url'),
      type: 'public-key',
      clientExtensionResults: {},
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: authData.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: lies.userHandle ?? held.userHandle,
      },
    };
  }

  #authenticatorData(held: Held, flags: number, { rpId, isUserVerified = true, counter }: Lies): Buffer {
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter ?? held.counter);
    const all = flags | FLAG.userPresent | (isUserVerified ? FLAG.userVerified : 0);
    return Buffer.concat([sha256(rpId ?? held.rpId), Buffer.from([all]), count]);
  }

  #clientData(type: string, challenge: string, lies: Lies): Buffer {
    const { origin = this.origin, crossOrigin = false } = lies;
    return Buffer.from(
      JSON.stringify({ type: lies.type ?? type, challenge: lies.challenge ?? challenge, origin, crossOrigin }),
    );
  }
}

/** CBOR (RFC 8949), as far as authenticators write it. */
function cbor(value: unknown): Buffer {
  if (typeof value === 'number') return value >= 0 ? head(0, value) : head(1, -1 - value);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (typeof value === 'string') return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (value instanceof Map)
    return Buffer.concat([head(5, value.size), ...[...value].flatMap(([key, one]) => [cbor(key), cbor(one)])]);
  throw new Error('No authenticator writes this');
}

function head(major: number, argument: number): Buffer {
  if (argument < 24) return Buffer.from([(major << 5) | argument]);
  if (argument < 256) return Buffer.from([(major << 5) | 24, argument]);
  return Buffer.from([(major << 5) | 25, argument >> 8, argument & 255]);
}
