import { preflight, usage } from '../failure.ts';
import { checkedUrl } from '../ledger.ts';
import { fromEnvironment } from '../options.ts';
import { textOf } from '../read-file.ts';

export interface ProjectOptions {
  url?: string;
  serviceRoleKeyFile?: string;
  dataDir?: string;
}

/** A Supabase project whose users the command may manage. */
export interface Project {
  /** Without a path. */
  url: string;
  serviceRoleKey: string;
}

/**
 * The project that options or variables name, or null: then the local stack is meant. A data directory named on the
 * command line beats the variables. The key never is an argument: every user of the machine can read those.
 */
export async function projectOf(options: ProjectOptions): Promise<Project | null> {
  const named = options.url !== undefined || options.serviceRoleKeyFile !== undefined;
  if (!named && options.dataDir !== undefined) return null;
  const url = options.url ?? fromEnvironment('SUPABASE_URL');
  const key = await keyOf(options.serviceRoleKeyFile);
  if (url === undefined && key === undefined) return null;
  if (url === undefined) {
    throw preflight(
      'project_url_missing',
      'a service-role key is given, but no project',
      'set SUPABASE_URL or give --url; --data-dir means the local stack',
    );
  }
  const { origin, pathname } = new URL(checkedUrl(url));
  if (!/^(\/functions\/v1|\/auth\/v1)?\/?$/.test(pathname)) {
    throw usage(`'${url}' is not the URL of a project`, 'write https://YOUR_REF.supabase.co');
  }
  if (key === undefined) {
    throw preflight(
      'service_key_missing',
      `no service-role key for ${origin}`,
      'set SUPABASE_SERVICE_ROLE_KEY, or give --service-role-key-file; --data-dir means the local stack',
    );
  }
  return { url: origin, serviceRoleKey: key };
}

async function keyOf(file: string | undefined): Promise<string | undefined> {
  if (file === undefined) return fromEnvironment('SUPABASE_SERVICE_ROLE_KEY')?.trim() || undefined;
  const key = (await textOf(file)).trim();
  if (!/^[\x21-\x7e]+$/.test(key)) throw usage(`${file} does not hold a key alone`);
  return key;
}

/** Two projects' halves would leave an actor refused in one and at work in the other. */
export function requireSameProject(url: string, databaseUrl: string): void {
  const ofUrl = /^([a-z0-9]{20})\.supabase\.\w+$/.exec(new URL(url).hostname)?.[1];
  if (ofUrl === undefined || !URL.canParse(databaseUrl)) return;
  const { hostname, username } = new URL(databaseUrl);
  const ofDatabase =
    /^db\.([a-z0-9]{20})\.supabase\.\w+$/.exec(hostname)?.[1] ?? /\.([a-z0-9]{20})$/.exec(username)?.[1];
  if (ofDatabase === undefined || ofDatabase === ofUrl) return;
  throw usage(`the project is ${ofUrl}, but the database is that of ${ofDatabase}`, 'give both of one project');
}
