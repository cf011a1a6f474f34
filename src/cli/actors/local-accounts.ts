import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LedgerRole } from '../../contract/roles.ts';
import { writePrivate } from '../../stack/private-file.ts';
import { usage } from '../failure.ts';
import { quote } from '../first-steps.ts';
import type { LocalStack } from '../local-stack.ts';
import { ownCommand } from '../own-command.ts';
import type { Account, Accounts } from './accounts.ts';

const LIFE_SECONDS = 3600;

interface Entry {
  tenant_id: string;
  actor_id: string;
  role: LedgerRole;
  created_at: string;
}

/**
 * The local stack has no users and no passwords: whoever reads its data directory mints tokens for any id. A register
 * in that directory (`actors.json`) remembers who was made, so that the commands answer as they do on a project.
 */
export function localAccounts(stack: LocalStack): Accounts {
  const file = join(stack.dataDir, 'actors.json');
  const read = async (): Promise<Entry[]> => {
    try {
      return (JSON.parse(await readFile(file, 'utf8')) as { actors: Entry[] }).actors;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  };
  return {
    async of(tenantId) {
      return (await read()).filter((entry) => entry.tenant_id === tenantId).map(accountOf);
    },
    async create({ tenantId, actorId, role, email }) {
      if (email !== undefined) throw usage('--email is of a project; the local stack has no users');
      const entry = { tenant_id: tenantId, actor_id: actorId, role: role as LedgerRole, created_at: now() };
      await writePrivate(file, `${JSON.stringify({ actors: [...(await read()), entry] }, null, 2)}\n`);
      const words = ['token', '--role', role, '--actor', actorId, '--tenant', tenantId, '--data-dir', stack.dataDir];
      const token_command = `${ownCommand()} ${words.map(quote).join(' ')}`;
      return { members: { token_command }, advice: 'a development token for it: run token_command' };
    },
    async renew({ tenantId, actorId, role }) {
      const claims = { tenantId, actorId, role: role as LedgerRole, expiresInSeconds: LIFE_SECONDS };
      const token = await stack.mintToken(claims);
      const expires_at = new Date(Date.now() + LIFE_SECONDS * 1000).toISOString();
      const advice = 'tokens minted before live to their end; actor disable refuses them at once';
      return { members: { token, expires_at }, advice };
    },
    // Tokens are minted by anyone who may; only the ledger's own list keeps them out.
    async ban() {},
    async unban() {},
  };
}

function accountOf({ tenant_id, actor_id, role, created_at }: Entry): Account {
  const unknown = { userId: null, email: null, lastSignInAt: null, bannedUntil: null };
  return { ...unknown, tenantId: tenant_id, actorId: actor_id, role, createdAt: created_at };
}

function now(): string {
  return new Date().toISOString();
}
