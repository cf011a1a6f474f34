import { describe, expect, it } from 'vitest';
import { type GraphFault, PositionMoved } from '../fault.ts';
import { FAULT_RULES } from './fault-table.ts';
import { faultOf, ruleOf } from './faults.ts';

/** An error as the driver makes it. */
function serverError(code: string, message = 'said by the server', cause?: Error): Error {
  return Object.assign(new Error(message, { cause }), { name: 'Neo4jError', code });
}

// Each line: a code as a server or the driver gives it, and what it means for the rows.
const EXPECTED: [code: string, kind: GraphFault['kind'], message?: string][] = [
  ['Neo.TransientError.Transaction.DeadlockDetected', 'passing'],
  ['Neo.TransientError.Transaction.LockAcquisitionTimeout', 'passing'],
  ['Neo.TransientError.Transaction.BookmarkTimeout', 'passing'],
  ['Neo.TransientError.Transaction.Terminated', 'passing'],
  ['Neo.TransientError.Transaction.LeaseExpired', 'passing'],
  ['Neo.TransientError.General.DatabaseUnavailable', 'passing'],
  ['Neo.TransientError.Database.DatabaseUnavailable', 'passing'],
  ['Neo.TransientError.General.MemoryPoolOutOfMemoryError', 'passing'],
  ['Neo.TransientError.Request.NoThreadsAvailable', 'passing'],
  ['Neo.TransientError.Cluster.ReplicationFailure', 'passing'],
  ['Neo.TransientError.Security.AuthProviderTimeout', 'passing'],
  ['Neo.ClientError.Cluster.NotALeader', 'passing'],
  ['Neo.ClientError.Transaction.TransactionTimedOut', 'passing'],
  ['Neo.ClientError.Transaction.TransactionTimedOutClientConfiguration', 'passing'],
  ['Neo.ClientError.Transaction.Terminated', 'passing'],
  ['Neo.ClientError.Transaction.LockClientStopped', 'passing'],
  ['Neo.ClientError.Security.AuthorizationExpired', 'passing'],
  ['ServiceUnavailable', 'passing', 'Failed to connect to server. Caused by: connect ECONNREFUSED 127.0.0.1:7687'],
  ['SessionExpired', 'passing'],
  ['N/A', 'passing', 'Connection acquisition timed out in 15000 ms.'],
  ['ProtocolError', 'passing'],

  ['Neo.ClientError.Security.Unauthorized', 'whole'],
  ['Neo.ClientError.Security.AuthenticationRateLimit', 'whole'],
  ['Neo.ClientError.Security.CredentialsExpired', 'whole'],
  ['Neo.ClientError.Security.TokenExpired', 'whole'],
  ['Neo.ClientError.Security.Forbidden', 'whole'],
  ['Neo.ClientError.Database.DatabaseNotFound', 'whole'],
  ['Neo.ClientError.General.WriteOnReadOnlyAccessDatabase', 'whole'],
  ['Neo.ClientError.General.ForbiddenOnReadOnlyDatabase', 'whole'],
  ['Neo.ClientError.General.TransactionOutOfMemoryError', 'whole'],
  ['Neo.ClientError.Statement.AccessMode', 'whole'],
  ['Neo.ClientError.Schema.IndexAlreadyExists', 'whole'],
  ['Neo.ClientError.Request.Invalid', 'whole'],
  ['Neo.DatabaseError.Transaction.TransactionLogError', 'whole'],
  ['Neo.DatabaseError.Transaction.TransactionStartFailed', 'whole'],
  ['Neo.DatabaseError.Transaction.TransactionCommitFailed', 'whole'],
  ['Neo.DatabaseError.General.StorageDamageDetected', 'whole'],
  ['Neo.DatabaseError.General.UnknownError', 'whole'],
  ['Neo.DatabaseError.Schema.ConstraintCreationFailed', 'whole'],
  ['N/A', 'whole', 'Server responded HTTP. Make sure you are not trying to connect to the http endpoint'],
  ['ServiceUnavailable', 'whole', 'Failed to connect to server. Caused by: self-signed certificate'],

  ['Neo.ClientError.Schema.ConstraintValidationFailed', 'row'],
  ['Neo.ClientError.Statement.ArgumentError', 'row'],
  ['Neo.ClientError.Statement.TypeError', 'row'],
  ['Neo.ClientError.Statement.ArithmeticError', 'row'],
  ['Neo.ClientError.Statement.ParameterMissing', 'row'],
  ['Neo.ClientError.Statement.SemanticError', 'row'],
  ['Neo.DatabaseError.Statement.ExecutionFailed', 'row', 'Property value is too large to index, please see …'],
];

describe('faults of Neo4j', () => {
  it.each(EXPECTED)('%s is %s', (code, kind, message) => {
    expect(faultOf(serverError(code, message))).toMatchObject({ name: 'GraphFault', kind, code });
  });

  it('has no rule that nothing reaches', () => {
    const reached = new Set(EXPECTED.map(([code, , message = 'x']) => ruleOf({ code, message })));
    const unreached = FAULT_RULES.filter((rule) => !reached.has(rule)).map(({ code, says }) => `${code} ${says ?? ''}`);
    // What the tables above do not name one by one.
    expect(unreached).toEqual(['Neo.ClientError.Security.* ', 'Neo.DatabaseError.Statement.* ']);
  });

  it('says in words what happened and what to do, the server’s own words after them', () => {
    const fault = faultOf(serverError('Neo.ClientError.Security.Unauthorized', 'The client is unauthorized.\n"echo"'));
    expect((fault as GraphFault).message).toBe(
      'Neo4j: the server refuses the login (Neo.ClientError.Security.Unauthorized: The client is unauthorized.); check NEO4J_USER and NEO4J_PASSWORD',
    );
    const discovery = serverError(
      'ServiceUnavailable',
      'Could not perform discovery. No routing servers available.',
      serverError('SessionExpired', 'Failed to connect. Caused by: connect ECONNREFUSED 127.0.0.1:7687'),
    );
    expect((faultOf(discovery) as GraphFault).message).toBe(
      'Neo4j: no server answers (ServiceUnavailable: connect ECONNREFUSED 127.0.0.1:7687)',
    );
  });

  it('leaves alone what is no error of the driver’s', () => {
    const moved = new PositionMoved();
    expect(faultOf(moved)).toBe(moved);
    const mistake = new TypeError('x is not a function');
    expect(faultOf(mistake)).toBe(mistake);
  });
});
