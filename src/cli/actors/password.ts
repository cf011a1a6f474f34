import { randomBytes } from 'node:crypto';

// Supabase Auth can ask for one of each; drawn again until all are there, so that every such password is as likely.
const WANTED = [/[a-z]/, /[A-Z]/, /[0-9]/, /[-_]/];

/** 192 random bits in 32 characters that need no quotes in a shell; well below the 72 bytes that Auth can hash. */
export function newPassword(): string {
  for (;;) {
    const drawn = randomBytes(24).toString('base64url');
    // A password that begins with a dash is taken for an option.
    if (!drawn.startsWith('-') && WANTED.every((kind) => kind.test(drawn))) return drawn;
  }
}
