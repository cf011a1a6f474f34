import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/**
 * What PostgreSQL stores for a SCRAM-SHA-256 password (RFC 5803). Made here, so that `alter role` carries no clear
 * password into a server log.
 */
export function scramVerifier(password: string, iterations = 4096, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password.normalize('NFKC'), salt, iterations, 32, 'sha256');
  const clientKey = createHmac('sha256', salted).update('Client Key').digest();
  const storedKey = createHash('sha256').update(clientKey).digest('base64');
  const serverKey = createHmac('sha256', salted).update('Server Key').digest('base64');
  return `SCRAM-SHA-256$${iterations}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
