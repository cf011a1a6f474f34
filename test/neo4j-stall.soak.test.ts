// A Neo4j that is half a minute slow, in the middle of everything.
import { expect, it } from 'vitest';
import { openNeo4j } from '../lineage/graph/neo4j/index.ts';
import { startBoltProxy } from './support/bolt-proxy.ts';
import { contentOf } from './support/graph-model.ts';
import { batchAt, outcomeFrom, positionAt } from './support/graph-rows.ts';
import { useNeo4j } from './support/neo4j.ts';
import { randomFrom } from './support/random.ts';

const STALL_MS = 30_000;
const server = useNeo4j();

it('takes each batch once when it stalls for 30 seconds between them and within them', async () => {
  const random = randomFrom(91);
  const proxy = await startBoltProxy(server.uri);
  const graph = await openNeo4j({ ...server.options(), uri: proxy.uri });
  const rows = () => ({ outcomes: Array.from({ length: 200 }, () => outcomeFrom(random)) });
  await graph.write(batchAt(0, rows()));
  const started = Date.now();
  proxy.stall();
  setTimeout(() => proxy.resume(), STALL_MS);
  for (let step = 1; step < 10; step += 1) await graph.write(batchAt(step, rows()));
  expect(Date.now() - started).toBeGreaterThanOrEqual(STALL_MS - 100);
  expect(await graph.position()).toEqual(positionAt(10));
  expect(Object.keys((await contentOf(graph)).outcomes)).toHaveLength(2_000);
  await graph.close();
  await proxy.stop();
}, 120_000);
