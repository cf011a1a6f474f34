import { randomUUID } from 'node:crypto';
import type {
  Graph,
  GraphBatch,
  GraphChanges,
  LinkFacts,
  OutcomeFacts,
  OutcomeKey,
  Position,
  QueryOptions,
  QueryResult,
} from '../graph.ts';
import { applyChanges, mustBeOf } from './changes.ts';
import type { Connection } from './connection.ts';
import type { Neo4jApi } from './driver.ts';
import { linkOf, outcomeOf } from './facts.ts';
import { clearPosition, lockPosition, mustStandAt, readPositionNode, samePosition, setPosition } from './position.ts';
import { prepareGraph } from './prepare.ts';
import { runQuery } from './query.ts';
import { ANY_TYPE } from './relationship-types.ts';

/** A mirror in a database of a Neo4j server. */
export class Neo4jGraph implements Graph {
  readonly kind = 'neo4j';
  readonly address: string;
  readonly #neo4j: Neo4jApi;
  readonly #connection: Connection;
  readonly #tenantId: string | null;
  /** Tells this handle's writes from another's in the position node. */
  readonly #writer = randomUUID();

  constructor(neo4j: Neo4jApi, connection: Connection, address: string, tenantId: string | null) {
    this.#neo4j = neo4j;
    this.#connection = connection;
    this.address = address;
    this.#tenantId = tenantId;
  }

  prepare(): Promise<void> {
    return prepareGraph(this.#connection, this.#tenantId);
  }

  /** From the leader: a stale position would make the worker read the same rows again. */
  async position(): Promise<Position | null> {
    return (await this.#connection.write(readPositionNode))?.position ?? null;
  }

  async write({ changes, from, to }: GraphBatch): Promise<void> {
    mustBeOf(this.#tenantId, changes);
    // The first write into a graph that may have been emptied, or replaced, since it was prepared.
    if (from === null) await this.prepare();
    let tries = 0;
    await this.#connection.write(async (tx) => {
      tries += 1;
      const { position } = await lockPosition(tx, this.#tenantId, this.#writer);
      // The answer to an earlier try's commit was lost, and the commit was not.
      if (tries > 1 && samePosition(position, to)) return;
      mustStandAt(position, from);
      await Promise.all([applyChanges(tx, changes), setPosition(tx, to)]);
    });
  }

  async repair(changes: GraphChanges): Promise<void> {
    mustBeOf(this.#tenantId, changes);
    await this.#connection.write(async (tx) => {
      // One writer at a time: those that write the same rows in other orders would deadlock.
      await lockPosition(tx, this.#tenantId, this.#writer);
      await applyChanges(tx, changes);
    });
  }

  async forgetPosition(): Promise<void> {
    await this.#connection.write(async (tx) => void (await clearPosition(tx)));
  }

  outcomesAfter(after: string | null, limit: number): Promise<{ key: OutcomeKey; facts: OutcomeFacts | null }[]> {
    return this.#connection.read(async (tx) => {
      const { records } = await tx.run(
        'match (o:Outcome) where o.outcome_id > $after return o order by o.outcome_id limit $limit',
        { after: after ?? '', limit: BigInt(limit) },
      );
      return records.map((record) => outcomeOf(record.get('o').properties));
    });
  }

  async linksFrom(sources: string[]): Promise<LinkFacts[]> {
    if (sources.length === 0) return [];
    return this.#connection.read(async (tx) => {
      const { records } = await tx.run(
        `unwind $sources as id match (:Outcome {outcome_id: id})-[link:${ANY_TYPE}]->(target:Outcome)
         return id as source, target.outcome_id as target, link`,
        { sources: [...new Set(sources)] },
      );
      return records.map((record) => {
        const { type, properties } = record.get('link');
        return linkOf(record.get('source'), record.get('target'), type, properties);
      });
    });
  }

  query(text: string, parameters: Record<string, unknown>, options: QueryOptions): Promise<QueryResult> {
    return runQuery(this.#neo4j, this.#connection, text, parameters, options);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }
}
