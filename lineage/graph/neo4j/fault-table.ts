import type { FaultKind } from '../fault.ts';

/** What a code of the server or the driver means for the rows at hand. */
export interface FaultRule {
  /** The code; `*` stands for any part of it. */
  code: string;
  /** What the message, or one of its causes', must contain too: some faults have no code of their own. */
  says?: RegExp;
  kind: FaultKind;
  /** What happened, in plain words. */
  what: string;
  /** What an operator does about it, should it last; nothing for what passes by itself, or for a single row. */
  todo?: string;
}

const CHECK_LOGIN = 'check NEO4J_USER and NEO4J_PASSWORD';
const READ_ONLY = {
  kind: 'whole',
  what: 'the database takes no writes',
  todo: 'look for server.databases.read_only and `alter database … set access`, and for a full disk on the server',
} as const;

/**
 * Neo4j's status codes (https://neo4j.com/docs/status-codes/5/errors/all-errors/) and the driver's own. The first rule that
 * fits decides. Where a code says too little, the rule is the one that parks no good row.
 */
export const FAULT_RULES: readonly FaultRule[] = [
  // Who asks, and what it may. The driver renews an expired authorization by itself when it is asked again.
  { code: 'Neo.ClientError.Security.AuthorizationExpired', kind: 'passing', what: 'the login has to be renewed' },
  {
    code: 'Neo.ClientError.Security.Unauthorized',
    kind: 'whole',
    what: 'the server refuses the login',
    todo: CHECK_LOGIN,
  },
  {
    code: 'Neo.ClientError.Security.AuthenticationRateLimit',
    kind: 'whole',
    what: 'the server refuses every login for a while, after too many wrong passwords',
    todo: CHECK_LOGIN,
  },
  {
    code: 'Neo.ClientError.Security.CredentialsExpired',
    kind: 'whole',
    what: 'the password has expired, or must be changed before its first use',
    todo: 'set another (`alter current user set password …`) and give it by NEO4J_PASSWORD',
  },
  {
    code: 'Neo.ClientError.Security.TokenExpired',
    kind: 'whole',
    what: 'the token of the login has expired',
    todo: 'start the worker with a new one',
  },
  {
    code: 'Neo.ClientError.Security.Forbidden',
    kind: 'whole',
    what: 'the login may not do this',
    todo: 'give it a role that reads, writes and makes constraints in this database (`architect`)',
  },
  { code: 'Neo.ClientError.Security.*', kind: 'whole', what: 'the server refuses the login', todo: CHECK_LOGIN },

  // Which database, and whether it takes writes.
  {
    code: 'Neo.ClientError.Database.*',
    kind: 'whole',
    what: 'the server has no such database, or not now',
    todo: 'check NEO4J_DATABASE (on Aura, the one in the credentials file)',
  },
  { code: 'Neo.ClientError.General.WriteOnReadOnlyAccessDatabase', ...READ_ONLY },
  { code: 'Neo.ClientError.General.ForbiddenOnReadOnlyDatabase', ...READ_ONLY },
  {
    code: 'Neo.ClientError.Statement.AccessMode',
    kind: 'whole',
    what: 'the server that answered takes reads only',
    todo: 'name the cluster (neo4j://) and not one of its readers',
  },
  // Until 5.18 a client error: a batch too large for the limit, which no row is to blame for.
  {
    code: 'Neo.ClientError.General.TransactionOutOfMemoryError',
    kind: 'whole',
    what: 'a transaction needs more memory than the server gives one',
    todo: 'raise db.memory.transaction.max',
  },

  // Others at work, and servers that come and go.
  { code: 'Neo.ClientError.Cluster.*', kind: 'passing', what: 'the cluster has another leader now' },
  { code: 'Neo.ClientError.Transaction.*', kind: 'passing', what: 'the server ended the transaction' },
  { code: 'Neo.TransientError.*', kind: 'passing', what: 'the server is busy, or not ready' },

  // The server's own faults. A full disk is one of them: the log entry fails first, then every start of a transaction.
  {
    code: 'Neo.DatabaseError.Transaction.TransactionLogError',
    kind: 'whole',
    what: 'the server cannot write its log',
    todo: 'look at its disk (a full one is the usual reason) and debug.log, then restart it',
  },
  {
    code: 'Neo.DatabaseError.Transaction.TransactionStartFailed',
    kind: 'whole',
    what: 'the database has stopped over a fault of its own',
    todo: 'look at debug.log and the disk, then restart the server',
  },
  {
    code: 'Neo.DatabaseError.Statement.*',
    says: /too large to index/,
    kind: 'row',
    what: 'a value is too long for an index (8 kB)',
  },
  { code: 'Neo.DatabaseError.Statement.*', kind: 'row', what: 'the server failed over it' },
  {
    code: 'Neo.DatabaseError.*',
    kind: 'whole',
    what: 'the server has a fault of its own',
    todo: 'look at debug.log and the disk',
  },

  // What was sent.
  { code: 'Neo.ClientError.Schema.ConstraintValidationFailed', kind: 'row', what: 'a constraint refuses it' },
  { code: 'Neo.ClientError.Statement.*', kind: 'row', what: 'the server cannot take its values' },
  {
    code: 'Neo.ClientError.Schema.*',
    kind: 'whole',
    what: 'the server refuses a constraint or an index',
    todo: 'compare `show constraints` and `show indexes` with what docs/deploy.md lists',
  },
  {
    code: 'Neo.ClientError.*',
    kind: 'whole',
    what: 'the server refuses to be asked like this',
    todo: 'check its version: Neo4j 5.11 or later',
  },

  // The driver's own.
  {
    code: '*',
    says: /responded HTTP/,
    kind: 'whole',
    what: 'an HTTP server answers at this port',
    todo: 'name the Bolt port in NEO4J_URI: 7687, not 7474',
  },
  {
    code: '*',
    says: /certificate|wrong version number|TLS connection|SSL routines/,
    kind: 'whole',
    what: 'server and driver do not agree about encryption',
    todo: 'NEO4J_URI with +s wants a trusted certificate, with +ssc any, without them none',
  },
  {
    code: 'ServiceUnavailable',
    kind: 'passing',
    what: 'no server answers',
    todo: 'see that it runs, and that NEO4J_URI names it',
  },
  { code: 'SessionExpired', kind: 'passing', what: 'the connection is gone' },
  { code: '*', says: /acquisition timed out/, kind: 'passing', what: 'no connection was to be had in time' },
  { code: '*', kind: 'passing', what: 'the connection failed' },
];
