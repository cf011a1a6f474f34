// What a crash leaves of an embedded graph, and what must hold of it then.
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { openEmbedded } from '../../lineage/graph/embedded/index.ts';
import type { Graph } from '../../lineage/graph/graph.ts';
import { batchOf, modelAfter, stepOf } from './graph-embedded-batches.ts';
import type { WriterScript } from './graph-embedded-process.ts';
import { contentOf } from './graph-model.ts';
import { randomFrom } from './random.ts';

export const LOG = 'graph.lbug.wal';
/** Where a checkpoint puts the log aside. */
export const LOG_ASIDE = `${LOG}.checkpoint`;
const COUNT = 'match (:Outcome)-[l:INVOKED]->(:Outcome) return count(*) as n';

/** Opens what a crash left: rows and position agree, and counting agrees with reading. The step it stands at. */
export async function recoveredStep(directory: string, seed: number, more = 0): Promise<number> {
  const graph = await openEmbedded({ directory });
  try {
    await graph.prepare();
    const step = await equalsModel(graph, seed);
    for (let n = 0; n < more; n += 1) await graph.write(batchOf(seed, step + n));
    if (more > 0) expect(await equalsModel(graph, seed)).toBe(step + more);
    return step;
  } finally {
    await graph.close();
  }
}

/** The graph equals the model at its own position, and nothing stands twice. */
export async function equalsModel(graph: Graph, seed: number): Promise<number> {
  const step = stepOf(await graph.position());
  const expected = modelAfter(seed, step).content();
  expect(await contentOf(graph), `seed ${seed}, step ${step}`).toEqual(expected);
  const invoked = Object.values(expected.links).filter(({ relation }) => relation === 'invoked').length;
  const counted = await graph.query(COUNT, {}, { timeoutMs: 20_000, maxRows: 1 });
  expect(counted.rows, `seed ${seed}, step ${step}`).toEqual([{ n: invoked }]);
  return step;
}

/** Kills the writer `rounds` times; twice in a row now and then, so that it dies while it opens what its forerunner left. */
export async function throughKills(writer: WriterScript, directory: string, seed: number, rounds: number) {
  const random = randomFrom(seed);
  let before = 0;
  let lastWasKilledOpening = false;
  for (let round = 0; round < rounds; round += 1) {
    const process = writer.start(directory, seed);
    const [steps, moment, opening] = [Math.floor(random() * 6), random() * 60, round > 0 && random() < 0.25];
    if (opening) await sleep(random() * 500);
    else {
      await process.until(() => process.step() >= before + steps && process.lines.length > 0);
      await sleep(moment);
    }
    await process.kill();
    expect(process.lines.filter((line) => line.startsWith('failed'))).toEqual([]);
    if (opening && !lastWasKilledOpening) {
      lastWasKilledOpening = true;
      continue;
    }
    const step = await recoveredStep(directory, seed, 1);
    // What a writer was told is written outlives it, but for one that died while it opened what another left.
    if (!lastWasKilledOpening) expect(step, `seed ${seed}, round ${round}`).toBeGreaterThanOrEqual(process.step());
    lastWasKilledOpening = false;
    before = step + 1;
  }
  expect(before).toBeGreaterThan(rounds);
}

/** The files of a graph whose writer died after `steps`: the first half in the files, the rest in the log. */
export async function crashedAfter(steps: number, seed: number, directory: string): Promise<void> {
  const living = `${directory}-living`;
  let graph = await openEmbedded({ directory: living });
  await graph.prepare();
  const half = Math.floor(steps / 2);
  for (let step = 0; step < half; step += 1) await graph.write(batchOf(seed, step));
  await graph.close();
  graph = await openEmbedded({ directory: living });
  for (let step = half; step < steps; step += 1) await graph.write(batchOf(seed, step));
  cpSync(living, directory, { recursive: true });
  await graph.close();
  rmSync(living, { recursive: true, force: true });
}

/** A log as a crash of the whole machine may leave it: cut, followed by garbage, or both. */
export function tear(directory: string, random: () => number): string {
  const file = join(directory, LOG);
  const log = readFileSync(file);
  const dice = random();
  const kept = dice < 0.3 ? log.length : Math.floor(random() * log.length);
  const garbage = dice > 0.6 ? 0 : 1 + Math.floor(random() * 5_000);
  const bytes = Buffer.from(Array.from({ length: garbage }, () => Math.floor(random() * 256)));
  writeFileSync(file, Buffer.concat([log.subarray(0, kept), bytes]));
  return `${kept} of ${log.length} bytes, then ${garbage} of garbage`;
}
