/**
 * What a fault of the graph means for the rows at hand (design section 8):
 * `passing` is tried again with backoff; `whole` (credentials, read-only, full, missing database) says nothing about any row,
 * so everything waits, loudly; `row` is about the rows themselves, and the one at fault is put into quarantine.
 */
export type FaultKind = 'passing' | 'whole' | 'row';

export class GraphFault extends Error {
  readonly kind: FaultKind;
  /** The store's own code, e.g. `Neo.ClientError.Security.Unauthorized`. */
  readonly code: string;
  /** What to do about this fault; null where its kind says all. */
  readonly remedy: string | null;

  constructor(kind: FaultKind, code: string, message: string, options: ErrorOptions & { remedy?: string } = {}) {
    super(message, options);
    this.name = 'GraphFault';
    this.kind = kind;
    this.code = code;
    this.remedy = options.remedy ?? null;
  }
}

/** Another worker wrote in between: read the position again. */
export class PositionMoved extends Error {
  constructor() {
    super('the graph’s position is not the one this worker left: another worker has written');
    this.name = 'PositionMoved';
  }
}

/** This graph must not be written by this ledger, or not by this version; `remedy` says what to do. */
export class GraphRefused extends Error {
  readonly code: 'graph_foreign' | 'graph_outdated' | 'graph_twins' | 'graph_other_ledger' | 'graph_other_tenant';
  readonly remedy: string;

  constructor(code: GraphRefused['code'], message: string, remedy: string) {
    super(message);
    this.name = 'GraphRefused';
    this.code = code;
    this.remedy = remedy;
  }
}

/** A query that the graph refuses, or that took too long: the caller's to mend. */
export class QueryRefused extends Error {
  readonly code: 'query_invalid' | 'query_writes' | 'query_timeout' | 'query_unbounded';

  constructor(code: QueryRefused['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'QueryRefused';
    this.code = code;
  }
}
