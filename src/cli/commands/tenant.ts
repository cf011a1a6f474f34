import { type Command, Option } from 'commander';
import { refusedByDatabase } from '../database.ts';
import { EXIT } from '../exit.ts';
import { Failure, usage } from '../failure.ts';
import { requireLocal } from '../ledger.ts';
import { dataDirOf, type LocalOptions, uuid, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { renderFields } from '../render/table.ts';
import type { Session } from '../session.ts';
import { listTenants } from '../tenants.ts';

interface CreateOptions extends LocalOptions {
  open?: boolean;
  closed?: boolean;
  name?: string;
  id?: string;
}

export function registerTenant(program: Command, session: Session): void {
  const tenant = program.command('tenant').description('tenants of the local stack');
  withLocal(tenant.command('create'))
    .description('make a tenant; an open one accepts sources that nobody defined (gaps lists them)')
    .addOption(new Option('--open', 'accept undefined sources (the default here)').conflicts('closed'))
    .addOption(new Option('--closed', 'refuse undefined sources, as production should'))
    .option('--name <name>', 'a name for people')
    .option('--id <uuid>', 'its id (default: a new one)', uuid)
    .action(async (options: CreateOptions) => {
      const name = options.name;
      if (name !== undefined && (name.trim() === '' || [...name].length > 200)) {
        throw usage('--name is 1 to 200 characters, not blank');
      }
      const stack = await requireLocal(dataDirOf(options));
      if (options.id !== undefined && (await listTenants(stack)).some((row) => row.tenant_id === options.id)) {
        throw new Failure({ code: 'tenant_conflict', detail: `tenant ${options.id} stands already` }, EXIT.failed);
      }
      const open = options.closed !== true;
      const { tenantId } = await stack.createTenant({ tenantId: options.id, name, open }).catch((error) => {
        throw refusedByDatabase(error);
      });
      const document = { tenant_id: tenantId, name: name ?? null, open };
      print(session.terminal, options.json, document, () =>
        renderFields(Object.entries(document), session.terminal.colour),
      );
    });
}
