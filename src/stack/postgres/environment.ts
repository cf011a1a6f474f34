/**
 * The environment of the server's processes: this process's own without what PostgreSQL would read from it
 * (PGPORT, PGDATA, PGOPTIONS, the locale), so that a server is the same whoever starts it.
 */
export function serverEnvironment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name));
  return { ...Object.fromEntries(kept), LC_ALL: 'C', TZ: 'UTC' };
}
