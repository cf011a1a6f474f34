// Giving an open subject up.
import type { Session } from './connection.ts';
import type { Recorded } from './recorded.ts';
import { text, uuid } from './statement.ts';

export function cancelInvocation(session: Session, id: string, reason: string): Promise<Recorded> {
  return session.call('cancel_invocation', uuid(id), text(reason));
}

export function cancelExecution(session: Session, id: string, reason: string): Promise<Recorded> {
  return session.call('cancel_execution', uuid(id), text(reason));
}
