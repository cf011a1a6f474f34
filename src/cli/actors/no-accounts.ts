import { usage } from '../failure.ts';
import type { Accounts } from './accounts.ts';

/** A database alone: its actors' keys come from elsewhere (a trusted issuer), so they can only be refused here. */
export const noAccounts: Accounts = {
  of: async () => [],
  create: keysComeFromElsewhere,
  renew: keysComeFromElsewhere,
  ban: async () => {},
  unban: async () => {},
};

async function keysComeFromElsewhere(): Promise<never> {
  throw usage('a database gives out no keys', 'name the project too: --url and --service-role-key-file');
}
