// The embedded graph when its process dies, its log is torn, its directory is another's, or its memory is full.
import { cpSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEmbedded } from '../lineage/graph/embedded/index.ts';
import { loadLibrary } from '../lineage/graph/embedded/library.ts';
import { GraphRefused } from '../lineage/graph/fault.ts';
import { runRaw } from './support/graph-embedded.ts';
import { batchOf } from './support/graph-embedded-batches.ts';
import {
  crashedAfter,
  equalsModel,
  LOG,
  LOG_ASIDE,
  recoveredStep,
  tear,
  throughKills,
} from './support/graph-embedded-kills.ts';
import { buildWriter, type WriterScript } from './support/graph-embedded-process.ts';
import { contentOf } from './support/graph-model.ts';
import { batchAt, linkBetween, outcomeFrom } from './support/graph-rows.ts';
import { randomFrom } from './support/random.ts';

const folder = mkdtempSync(join(tmpdir(), 'outcome-ledger-graph-crash-'));
const fresh = (name: string) => mkdtempSync(join(folder, `${name}-`));
const LIMITS = { timeoutMs: 10_000, maxRows: 10 };
let writer: WriterScript;
beforeAll(async () => {
  writer = await buildWriter();
});
afterAll(() => {
  writer?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const faultOf = async (work: Promise<unknown>): Promise<Error & { kind?: string; code?: string; remedy?: string }> => {
  const error = await work.then(
    () => new Error('it went through'),
    (reason: unknown) => reason,
  );
  return error as Error;
};

describe('a writer that dies', () => {
  const seed = 20_261_130;
  it(`3 times at random moments (seed ${seed}) leaves a graph that equals its position, and it goes on`, async () => {
    await throughKills(writer, fresh('killed'), seed, 3);
  });

  it('in a checkpoint, and again soon after, loses nothing that its position claims', async () => {
    const directory = join(fresh('twice'), 'graph');
    await crashedAfter(8, 3, directory);
    // As the start of a checkpoint leaves them.
    renameSync(join(directory, LOG), join(directory, LOG_ASIDE));
    const graph = await openEmbedded({ directory });
    expect(await equalsModel(graph, 3)).toBe(8);
    await graph.write(batchOf(3, 8));
    cpSync(directory, `${directory}-killed`, { recursive: true });
    await graph.close();
    expect(await recoveredStep(`${directory}-killed`, 3, 1)).toBe(9);
  });
});

describe('a torn log', () => {
  const seed = 4_711;
  it(`cut and soiled at random (seed ${seed}): opens at an earlier position with its rows, and goes on`, async () => {
    const whole = join(fresh('torn'), 'graph');
    await crashedAfter(8, seed, whole);
    const random = randomFrom(seed);
    for (let round = 0; round < 3; round += 1) {
      const directory = `${whole}-${round}`;
      cpSync(whole, directory, { recursive: true });
      const what = tear(directory, random);
      if (round === 2) renameSync(join(directory, LOG), join(directory, LOG_ASIDE));
      const step = await recoveredStep(directory, seed, 2);
      expect(step, what).toBeGreaterThanOrEqual(4);
      expect(step, what).toBeLessThanOrEqual(8);
      // What was written behind the tear is read again, too.
      expect(await recoveredStep(directory, seed), what).toBe(step + 2);
    }
  });
});

describe('what cannot be opened', () => {
  it('is a directory that another process has open; that one goes on', async () => {
    const directory = fresh('locked');
    const first = writer.start(directory, 5);
    await first.until(() => first.step() >= 2);
    const fault = await faultOf(openEmbedded({ directory }));
    expect(fault).toMatchObject({ name: 'GraphFault', kind: 'passing', code: 'graph_locked' });
    expect(fault.message).toContain(directory);
    expect(fault.message).toContain('outcome-ledger cypher');
    const seen = first.step();
    await first.until(() => first.step() >= seen + 3);
    await first.kill();
    expect(first.lines.filter((line) => line.startsWith('failed'))).toEqual([]);
    expect(await recoveredStep(directory, 5)).toBeGreaterThanOrEqual(first.step());
  });

  it('is a graph without the library', async () => {
    const missing = Object.assign(new Error("Cannot find package '@ladybugdb/core'"), { code: 'ERR_MODULE_NOT_FOUND' });
    const fault = await faultOf(loadLibrary(() => Promise.reject(missing)));
    expect(fault).toMatchObject({ name: 'GraphFault', kind: 'whole', code: 'embedded_missing', cause: missing });
    expect(fault.message).toContain('npm install @ladybugdb/core');
    expect(fault.message).toContain('--graph none');
  });

  it.each([
    [
      'an older schema',
      "COMMENT ON TABLE LedgerPosition IS 'outcome-ledger graph 0, tenant all'",
      'graph_outdated',
      'Delete ',
    ],
    [
      'a newer schema',
      "COMMENT ON TABLE LedgerPosition IS 'outcome-ledger graph 99, tenant all'",
      'graph_outdated',
      'Upgrade ',
    ],
    ['a schema that lacks a table', 'DROP TABLE GOVERNS', 'graph_outdated', 'Delete '],
    [
      'tables of somebody else beside ours',
      'CREATE NODE TABLE Person(name STRING PRIMARY KEY)',
      'graph_foreign',
      'another directory',
    ],
    ['tables that nobody marked', "COMMENT ON TABLE LedgerPosition IS ''", 'graph_foreign', 'another directory'],
  ])('is %s, and nothing is changed', async (_, statement, code, remedy) => {
    const directory = fresh('schema');
    const made = await openEmbedded({ directory });
    await made.prepare();
    await made.write(batchOf(6, 0));
    await made.close();
    await runRaw(directory, [statement]);
    const graph = await openEmbedded({ directory });
    const refusal = await faultOf(graph.prepare());
    await graph.close();
    expect(refusal).toBeInstanceOf(GraphRefused);
    expect(refusal).toMatchObject({ code });
    expect(refusal.remedy).toContain(remedy);
    expect(await runRaw(directory, ['match (p:LedgerPosition) return p.epoch as epoch'])).toEqual([{ epoch: 1 }]);
  });

  it('is a file of something else', async () => {
    const directory = fresh('text');
    writeFileSync(join(directory, 'graph.lbug'), 'not a graph, but a letter\n'.repeat(400));
    const refusal = await faultOf(openEmbedded({ directory }));
    expect(refusal).toBeInstanceOf(GraphRefused);
    expect(refusal.remedy).toContain('another directory');
    const file = join(directory, 'graph.lbug');
    expect(await faultOf(openEmbedded({ directory: file }))).toMatchObject({ code: 'graph_foreign' });
  });
});

describe('a write that fails midway', () => {
  it('for want of memory writes nothing, is a passing fault, and a smaller one goes through', async () => {
    const graph = await openEmbedded({ directory: fresh('memory'), bufferPool: 12 * 2 ** 20 });
    await graph.prepare();
    const random = randomFrom(31);
    await graph.write(batchAt(0, { outcomes: [outcomeFrom(random)] }));
    const before = await contentOf(graph);
    const outcomes = Array.from({ length: 8_000 }, () => outcomeFrom(random));
    const links = outcomes
      .slice(1)
      .map(({ outcome_id }, n) => linkBetween(random, outcome_id, outcomes[n]?.outcome_id as string));
    expect(await faultOf(graph.write(batchAt(1, { outcomes, links })))).toMatchObject({
      name: 'GraphFault',
      kind: 'passing',
      code: 'buffer_pool_full',
    });
    expect(await contentOf(graph)).toEqual(before);
    await graph.write(batchAt(1, { outcomes: outcomes.slice(0, 20), links: links.slice(0, 19) }));
    expect(Object.keys((await contentOf(graph)).links)).toHaveLength(19);
    await graph.close();
  });
});

describe('a query that runs too long', () => {
  it('is ended and says so, while the writer goes on', async () => {
    const graph = await openEmbedded({ directory: fresh('slow') });
    await graph.prepare();
    await graph.write(batchOf(9, 0));
    const text =
      'match (a:Outcome), (b:Outcome), (c:Outcome), (d:Outcome), (e:Outcome) return count(*) + sum(a.duration_ms % (b.duration_ms + c.duration_ms + d.duration_ms + e.duration_ms + 1)) as n';
    const asked = Date.now();
    const refusal = faultOf(graph.query(text, {}, { ...LIMITS, timeoutMs: 1_500 })).then((error) => ({
      code: error.code,
      ms: Date.now() - asked,
    }));
    let written = 1;
    while (Date.now() - asked < 1_000) await graph.write(batchOf(9, written++));
    expect(written).toBeGreaterThan(2);
    const { code, ms } = await refusal;
    expect(code).toBe('query_timeout');
    expect(ms).toBeLessThan(8_000);
    await graph.write(batchOf(9, written++));
    expect(await equalsModel(graph, 9)).toBe(written);
    await graph.close();
  });
});
