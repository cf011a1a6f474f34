// Batches that both a writer process and the test that kills it can make: they follow from a seed and the step's number.
import type { GraphBatch, LinkFacts, Position } from '../../lineage/graph/graph.ts';
import { GraphModel } from './graph-model.ts';
import {
  batchAt,
  changes,
  linkBetween,
  outcomeFrom,
  positionAt,
  RELATION_WORDS,
  TENANT,
  uuidFrom,
} from './graph-rows.ts';
import { randomFrom } from './random.ts';

const IDS = 200;

/** The batch of one step: outcomes that come, change and go, and links between them, to nobody yet, and gone again. */
export function batchOf(seed: number, step: number, size = 60): GraphBatch {
  const random = randomFrom(seed * 10_007 + step);
  const ids = idsOf(seed);
  const pick = () => ids[Math.floor(random() * IDS)] as string;
  // Between neighbours, so that a deletion mostly finds its link.
  const ends = (): [string, string] => {
    const at = Math.floor(random() * IDS);
    return [ids[at] as string, ids[(at + 1 + Math.floor(random() * 2)) % IDS] as string];
  };
  const result = changes({});
  for (const outcome_id of new Set(Array.from({ length: size }, pick))) {
    const dice = random();
    if (dice < 0.5) result.outcomes.push(outcomeFrom(random, { outcome_id }));
    else if (dice < 0.65) result.deletedOutcomes.push({ outcome_id, tenant_id: TENANT });
  }
  const links = new Map<string, LinkFacts>();
  for (let n = 0; n < size; n += 1) {
    const relation = RELATION_WORDS[Math.floor(random() * RELATION_WORDS.length)];
    const link = linkBetween(random, ...ends(), { relation });
    links.set(`${link.source_outcome_id} ${link.target_outcome_id} ${relation}`, link);
  }
  for (const link of links.values()) {
    const { tenant_id, source_outcome_id, target_outcome_id, relation } = link;
    if (random() < 0.7) result.links.push(link);
    else result.deletedLinks.push({ tenant_id, source_outcome_id, target_outcome_id, relation });
  }
  return batchAt(step, result);
}

/** What stands after so many steps. */
export function modelAfter(seed: number, steps: number, size?: number): GraphModel {
  const model = new GraphModel();
  for (let step = 0; step < steps; step += 1) model.apply(batchOf(seed, step, size).changes);
  return model;
}

const pools = new Map<number, string[]>();

function idsOf(seed: number): string[] {
  const pool =
    pools.get(seed) ??
    Array.from(
      { length: IDS },
      (
        (random) => () =>
          uuidFrom(random)
      )(randomFrom(seed)),
    );
  pools.set(seed, pool);
  return pool;
}

/** How many steps brought a graph to its position. */
export const stepOf = (position: Position | null): number => (position ? position.seq - positionAt(0).seq : 0);
