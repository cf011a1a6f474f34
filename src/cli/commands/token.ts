import { type Command, Option } from 'commander';
import { type LedgerRole, ROLES } from '../../contract/roles.ts';
import { parseDuration } from '../duration.ts';
import { usage } from '../failure.ts';
import { requireLocal } from '../ledger.ts';
import { dataDirOf, type LocalOptions, uuid, withLocal } from '../options.ts';
import { print } from '../output.ts';
import type { Session } from '../session.ts';
import { tenantOf } from '../tenants.ts';

export function registerToken(program: Command, session: Session): void {
  withLocal(program.command('token'))
    .description("mint a development token with the local stack's key (never valid on a real deployment)")
    .addOption(new Option('--role <role>', 'ledger role').choices([...ROLES]).makeOptionMandatory())
    .requiredOption('--actor <id>', 'actor id; an agent starts only invocations of this source id')
    .option('--tenant <id>', 'tenant (default: the default tenant of the stack)', uuid)
    .option('--expires <duration>', 'life time: 90s, 15m, 1h, 7d', '1h')
    .action(async (options: LocalOptions & { role: LedgerRole; actor: string; tenant?: string; expires: string }) => {
      const expiresInSeconds = parseDuration(options.expires);
      const actor = options.actor;
      if (actor.trim() === '' || [...actor].length > 200) throw usage('--actor is 1 to 200 characters, not blank');
      const stack = await requireLocal(dataDirOf(options));
      const tenantId = await tenantOf(stack, options.tenant);
      const token = await stack.mintToken({ tenantId, role: options.role, actorId: actor, expiresInSeconds });
      const expires_at = new Date(Date.now() + expiresInSeconds * 1000).toISOString();
      // Only the token in text, so that TOKEN=$(outcome-ledger token …) works.
      const document = { token, tenant_id: tenantId, role: options.role, actor_id: actor, expires_at };
      print(session.terminal, options.json, document, () => token);
    });
}
