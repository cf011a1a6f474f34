import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Small and quiet: a server beside a developer's other programs, not a deployment. */
const SMALL: Record<string, string> = {
  'server.memory.pagecache.size': '128m',
  'db.tx_log.preallocate': 'false',
  'db.tx_log.rotation.size': '16m',
  'db.tx_log.rotation.retention_policy': '2 files',
  'dbms.usage_report.enabled': 'false',
  'server.bolt.enabled': 'true',
  'server.http.enabled': 'false',
  // Embedded like this, Neo4j has no import folder, and `load csv` would read any file.
  'dbms.security.allow_csv_import_from_file_urls': 'false',
  // Otherwise every stop waits twice five seconds for connections that are closed already.
  'internal.server.bolt.thread_pool_shutdown_wait_time': '100ms',
  'internal.server.bolt.connection_shutdown_wait_time': '1s',
};

/** Writes HOME/conf/neo4j.conf; what the caller sets wins over what is small and quiet. */
export function writeSettings(home: string, port: number, auth: boolean, settings: Record<string, string>): void {
  const all = {
    ...SMALL,
    ...settings,
    'dbms.security.auth_enabled': String(auth),
    'server.bolt.listen_address': `127.0.0.1:${port}`,
  };
  mkdirSync(join(home, 'conf'), { recursive: true });
  const lines = Object.entries(all).map(([name, value]) => `${name}=${value}`);
  writeFileSync(join(home, 'conf', 'neo4j.conf'), `${lines.join('\n')}\n`, { mode: 0o600 });
}
