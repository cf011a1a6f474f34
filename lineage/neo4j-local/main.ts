// A local Neo4j by hand: `npx vite-node lineage/neo4j-local/main.ts [--home DIR] [--port N] [--password P | --no-auth] [--quick]`,
// or only its jars, for a machine that will be without a network: `… --fetch`.
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { neo4jLibraries } from './libraries.ts';
import { Neo4jLocalError } from './local-error.ts';
import { startNeo4jLocal } from './start.ts';

const { values } = parseArgs({
  options: {
    home: { type: 'string' },
    port: { type: 'string' },
    password: { type: 'string' },
    'no-auth': { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    fetch: { type: 'boolean', default: false },
  },
});

const say = (line: string) => console.error(line);

try {
  if (values.fetch) {
    console.log(await neo4jLibraries(undefined, say));
    process.exit(0);
  }
  const neo4j = await startNeo4jLocal({
    home: values.home,
    port: values.port === undefined ? undefined : Number(values.port),
    password: values['no-auth'] ? null : values.password,
    quick: values.quick,
    say,
  });
  const environment = { URI: neo4j.uri, USER: neo4j.user, PASSWORD: neo4j.password, PID: neo4j.pid, DATABASE: 'neo4j' };
  for (const [name, value] of Object.entries(environment)) console.log(`NEO4J_${name}=${value}`);
  console.error(`Data in ${neo4j.home}; Ctrl-C stops it.`);
  const asked = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]).then(() => 'asked' as const);
  if ((await Promise.race([asked, neo4j.ended])) !== 'asked')
    console.error(`It ended by itself: see ${neo4j.home}/logs.`);
  await neo4j.stop();
  process.exit(0);
} catch (error) {
  if (!(error instanceof Neo4jLocalError)) throw error;
  console.error(`${error.code}: ${error.message}\n${error.remedy}`);
  process.exit(2);
}
