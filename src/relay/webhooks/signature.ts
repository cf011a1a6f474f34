import { createHmac } from 'node:crypto';

/**
 * `webhook-signature` of Standard Webhooks: `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, once for each secret.
 *
 * @param timestamp seconds since 1970
 * @param secrets `whsec_` and base64, the current one first
 */
export function signatureOf(id: string, timestamp: number, body: string, secrets: readonly string[]): string {
  return secrets.map((secret) => `v1,${hmac(secret, `${id}.${timestamp}.${body}`)}`).join(' ');
}

function hmac(secret: string, content: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return createHmac('sha256', key).update(content).digest('base64');
}
