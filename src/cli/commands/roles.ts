import { randomBytes } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { Argument, type Command } from 'commander';
import { LOGIN_ROLES, setRolePassword } from '../../stack/role-passwords.ts';
import { refusedByDatabase, withDatabase, withoutPassword } from '../database.ts';
import { usage } from '../failure.ts';
import { databaseUrlOption, type LocalOptions, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { ownerDatabaseUrl } from '../owner-database.ts';
import type { Session } from '../session.ts';

interface PasswordOptions extends LocalOptions {
  passwordStdin?: boolean;
  databaseUrl?: string;
}

export function registerRoles(program: Command, session: Session): void {
  const roles = program.command('roles').description("the ledger's database roles");
  withLocal(roles.command('password'))
    .description('let a role log in, with a password from standard input or a new random one (printed once)')
    .addArgument(new Argument('<role>', 'the role').choices([...LOGIN_ROLES]))
    .option('--password-stdin', 'read the password from the first line of standard input')
    .addOption(databaseUrlOption("the owner's connection"))
    .action(async (role: string, options: PasswordOptions) => {
      const given = options.passwordStdin ? await passwordFromStdin() : undefined;
      const password = given ?? randomBytes(24).toString('base64url');
      const owner = await ownerDatabaseUrl(options);
      await withDatabase(owner, async (sql) => {
        await setRolePassword(sql, role, password).catch((error) => {
          throw refusedByDatabase(error);
        });
      });
      const url = loginUrl(owner, role, given === undefined ? password : undefined);
      const document = { role, login: true, password: given === undefined ? password : null, url };
      print(session.terminal, options.json, document, () => `${role} may log in\n${url}`);
    });
}

async function passwordFromStdin(): Promise<string> {
  const [line = ''] = (await text(process.stdin)).split(/\r?\n/, 1);
  if (line.length < 8) throw usage('the password on standard input is shorter than 8 characters');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused
  if (/[\u0000-\u001f\u007f]/.test(line)) throw usage('the password holds a control character');
  return line;
}

/** The owner's URL with the role in its place; a password that the caller knows is not printed again. */
function loginUrl(owner: string, role: string, password: string | undefined): string {
  if (!URL.canParse(owner)) return withoutPassword(owner);
  const url = new URL(owner);
  // A pooler names the project after the user: postgres.<ref>.
  const project = /\.(.+)$/.exec(decodeURIComponent(url.username))?.[1];
  url.username = project === undefined ? role : `${role}.${project}`;
  url.password = password ?? '';
  return url.toString();
}
