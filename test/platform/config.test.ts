import { describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '#platform/config.ts';

function errorsOf(settings: Record<string, string>): readonly string[] {
  try {
    readConfig(settings);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.errors;
    throw error;
  }
}

describe('settings', () => {
  it('have defaults, and an empty one counts as not set', () => {
    expect(readConfig({ PORT: '', TRUSTED_PROXIES: '' })).toMatchObject({
      port: 8080,
      trustedProxies: [],
      apiOrigin: 'http://127.0.0.1:8080',
    });
  });

  it.each([
    '*',
    'null',
    'https://*.example.com',
    'https://app.example.com/',
    'app.example.com',
    'https://a.example, *',
  ])('list exact origins only: %s', (text) => {
    expect(errorsOf({ CORS_ORIGINS: text })).toEqual([expect.stringMatching(/^CORS_ORIGINS must be exact origins/)]);
  });

  it('list the origins of pages', () => {
    expect(readConfig({ CORS_ORIGINS: 'https://app.example.com, http://localhost:5173' }).corsOrigins).toEqual([
      'https://app.example.com',
      'http://localhost:5173',
    ]);
  });

  it('report all their errors at once', () => {
    const errors = errorsOf({
      PORT: '70000',
      READ_RATE_LIMIT: 'many',
      REDIS_URL: 'http://here',
      SERVICE_SECRET: 'short',
      LOG_LEVEL: 'loud',
    });
    expect(errors.map((error) => error.split(' ', 1)[0])).toEqual([
      'PORT',
      'READ_RATE_LIMIT',
      'REDIS_URL',
      'SERVICE_SECRET',
      'LOG_LEVEL',
    ]);
  });

  it.each([
    [{}, true],
    [{ NODE_ENV: 'production' }, false],
    [{ NODE_ENV: 'production', INTROSPECTION: 'on' }, true],
    [{ INTROSPECTION: 'off' }, false],
  ])('decide by %j whether the schema is public: %s', (settings, introspection) => {
    expect(readConfig(settings).introspection).toBe(introspection);
  });

  it.each([
    ['a port that is set, even to the default', { PORT: '8080' }, 'http://127.0.0.1:8080'],
    [
      'ADMIN_URL before the port',
      { ADMIN_URL: 'https://books.example.com', PORT: '8081' },
      'https://books.example.com',
    ],
    ['neither, so that the first start on this machine decides', {}, null],
  ])('address admin commands by %s', (_, settings, adminUrl) => {
    expect(readConfig(settings).adminUrl).toBe(adminUrl);
  });

  it.each([
    [
      { OUTBOUND_ALLOWED_HOSTS: 'hooks.internal, 10.0.0.0/8' },
      { outboundAllowedHosts: ['hooks.internal', '10.0.0.0/8'] },
    ],
    [
      { SMTP_URL: 'smtps://mail.example', SMTP_FROM: 'Books <books@example.com>' },
      { smtp: { url: 'smtps://mail.example', from: 'Books <books@example.com>' } },
    ],
    [{}, { outboundAllowedHosts: [], smtp: null }],
  ])('settings for outbound traffic are read: %j', (settings, config) => {
    expect(readConfig(settings)).toMatchObject(config);
  });

  it.each([
    [{ OUTBOUND_ALLOWED_HOSTS: 'http://hooks.internal' }, 'OUTBOUND_ALLOWED_HOSTS'],
    [{ SMTP_URL: 'http://mail.example', SMTP_FROM: 'books@example.com' }, 'SMTP_URL'],
    [{ SMTP_URL: 'smtp://mail.example' }, 'SMTP_FROM must be set too, because SMTP_URL is'],
    [{ SMTP_FROM: 'books@example.com' }, 'SMTP_URL must be set too, because SMTP_FROM is'],
    [{ SMTP_URL: 'smtp://mail.example', SMTP_FROM: 'a@b.c\r\nBcc: d@e.f' }, 'SMTP_FROM'],
  ])('settings for outbound traffic are refused: %j', (settings, error) => {
    expect(errorsOf(settings)).toEqual([expect.stringMatching(`^${error}`)]);
  });

  const [one, other] = ['a secret of thirty-two characters', 'another one that is as long as it'];
  it.each([
    [`${one}`, [one]],
    [`${one}, ${other}`, [one, other]],
    [JSON.stringify([`${one},`, ` ${other}`]), [`${one},`, ` ${other}`]],
  ])('accept %s as earlier secrets', (text, secrets) => {
    const config = readConfig({
      SERVICE_SECRET_PREVIOUS: text,
      ENCRYPTION_SECRET: other,
      ENCRYPTION_SECRET_PREVIOUS: text,
    });
    expect(config).toMatchObject({
      serviceSecretPrevious: secrets,
      encryptionSecret: other,
      encryptionSecretPrevious: secrets,
    });
  });

  it.each([`${one},short`, `${one},`, '[]', '["short"]', `["${one}"`, `[1]`])(
    'refuse %s as earlier secrets, without repeating it',
    (text) => {
      const errors = errorsOf({
        SERVICE_SECRET_PREVIOUS: text,
        ENCRYPTION_SECRET: 'short',
        UNREADABLE_SECRETS: 'maybe',
      });
      expect(errors.map((error) => error.split(' ', 1)[0])).toEqual([
        'SERVICE_SECRET_PREVIOUS',
        'ENCRYPTION_SECRET',
        'UNREADABLE_SECRETS',
      ]);
      expect(errors.join()).not.toContain(one);
    },
  );

  it.each(['10.0.0.0/8', '127.0.0.1, ::1', '2001:db8::/32'])('accept %s as trusted proxies', (text) => {
    expect(readConfig({ TRUSTED_PROXIES: text }).trustedProxies).toEqual(text.split(', '));
  });

  it.each(['proxy.example.com', '10.0.0.0/33', '::1/129', '10.0.0.0/8/8', '10.0.0.0/', '127.0.0.1,'])(
    'refuse %s as trusted proxies',
    (text) => {
      expect(errorsOf({ TRUSTED_PROXIES: text })).toEqual([
        expect.stringMatching(/^TRUSTED_PROXIES must be addresses or networks/),
      ]);
    },
  );
});
