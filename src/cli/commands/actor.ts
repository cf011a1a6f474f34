import { type Command, Option } from 'commander';
import { ROLES } from '../../contract/roles.ts';
import { createActor } from '../actors/create-actor.ts';
import { disableActor, enableActor } from '../actors/disable-actor.ts';
import { checkedActorId, checkedEmail, checkedReason, theAccountOf } from '../actors/find-actor.ts';
import { listActors } from '../actors/list-actors.ts';
import { type ActorOptions, withActors } from '../actors/open-actors.ts';
import { databaseUrlOption, uuid, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { renderActors, renderHanded } from '../render/actors.ts';
import { renderFields } from '../render/table.ts';
import type { Session } from '../session.ts';

export function registerActor(program: Command, session: Session): void {
  const actor = program.command('actor').description('who may call the ledger: agents, workers, people');
  registerCreate(actor, session);
  registerRotate(actor, session);
  registerDisable(actor, session);
  registerEnable(actor, session);
  registerList(actor, session);
}

function withActor(command: Command): Command {
  return withLocal(command)
    .option('--url <url>', 'a Supabase project instead of the local stack (SUPABASE_URL)')
    .option('--service-role-key-file <file>', 'file with its service-role key (SUPABASE_SERVICE_ROLE_KEY)')
    .addOption(databaseUrlOption("the owner's connection to its database"))
    .option('--tenant <id>', 'tenant of the actor (default: the one named default, else the only one)', uuid);
}

function registerCreate(actor: Command, session: Session): void {
  withActor(actor.command('create'))
    .description('make an actor; on a project a user with a password that is shown once')
    .argument('<actor-id>', "the actor; an agent's equals its source id")
    .addOption(new Option('--role <role>', 'ledger role').choices([...ROLES]).makeOptionMandatory())
    .option('--email <address>', 'what it signs in with on a project (default: one that no mail reaches)')
    .action(async (id: string, options: ActorOptions & { role: string; email?: string }) => {
      const asked = { actorId: checkedActorId(id), role: options.role, email: checkedEmail(options.email) };
      const { tenantId, handed } = await withActors(options, async (actors) => ({
        tenantId: actors.tenantId,
        handed: await createActor(actors, asked),
      }));
      const about = { actor_id: id, role: options.role, tenant_id: tenantId };
      const { terminal } = session;
      print(terminal, options.json, { ...about, ...handed.members }, () =>
        renderHanded(about, handed, terminal.colour),
      );
    });
}

function registerRotate(actor: Command, session: Session): void {
  withActor(actor.command('rotate'))
    .description('give an actor new keys; on a project the old password and all sessions end')
    .argument('<actor-id>', 'the actor')
    .action(async (id: string, options: ActorOptions) => {
      const actorId = checkedActorId(id);
      const { about, handed } = await withActors(options, async (actors) => {
        const account = await theAccountOf(actors, actorId);
        const about = { actor_id: id, role: account.role, tenant_id: account.tenantId };
        return { about, handed: await actors.accounts.renew(account) };
      });
      const { terminal } = session;
      print(terminal, options.json, { ...about, ...handed.members }, () =>
        renderHanded(about, handed, terminal.colour),
      );
    });
}

function registerDisable(actor: Command, session: Session): void {
  withActor(actor.command('disable'))
    .description('refuse an actor from now on, also with tokens it already has')
    .argument('<actor-id>', 'the actor')
    .requiredOption('--reason <text>', 'why, kept with the refusal')
    .option('--unlisted', 'also an id that has no account here, and without asking Supabase Auth first')
    .action(async (id: string, options: ActorOptions & { reason: string; unlisted?: boolean }) => {
      const asked = {
        actorId: checkedActorId(id),
        reason: checkedReason(options.reason),
        unlisted: !!options.unlisted,
      };
      const document = await withActors(options, async (actors) => {
        const { changed, row, accounts } = await disableActor(actors, asked);
        return { ...row, tenant_id: actors.tenantId, state: 'disabled', changed, accounts };
      });
      tell(session, options, document);
    });
}

function registerEnable(actor: Command, session: Session): void {
  withActor(actor.command('enable'))
    .description('take a disabled actor back')
    .argument('<actor-id>', 'the actor')
    .action(async (id: string, options: ActorOptions) => {
      const actor_id = checkedActorId(id);
      const document = await withActors(options, async (actors) => {
        const { changed, accounts } = await enableActor(actors, actor_id);
        return { actor_id, tenant_id: actors.tenantId, state: 'active', changed, accounts };
      });
      tell(session, options, document);
    });
}

function registerList(actor: Command, session: Session): void {
  withActor(actor.command('list'))
    .description('the actors of a tenant')
    .option('--all', 'also those that are disabled')
    .action(async (options: ActorOptions & { all?: boolean }) => {
      const all = options.all === true;
      const items = await withActors(options, (actors) => listActors(actors, all));
      print(session.terminal, options.json, { items }, () => renderActors(items, all, session.terminal.colour));
    });
}

function tell({ terminal }: Session, options: ActorOptions, document: Record<string, unknown>): void {
  print(terminal, options.json, document, () => renderFields(Object.entries(document), terminal.colour));
}
