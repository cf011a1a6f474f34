import { randomUUID } from 'node:crypto';
import type { Colour } from './render/colour.ts';
import type { StatusDocument } from './status-document.ts';

/** Lines to paste into a shell: a token, a start, its outcome, and why. They work as they stand; twice is a replay. */
export function firstSteps(status: StatusDocument, command: string, colour: Colour): string {
  const invocation_id = randomUUID();
  const event_id = `order-${invocation_id.slice(0, 8)}`;
  const source = { id: 'my-agent', version: '1.0.0', domain: 'my-domain' };
  const correlation_id = `corr-${invocation_id.slice(0, 8)}`;
  const start = {
    invocation_id,
    source,
    correlation_id,
    trigger: { type: 'order.received', source: 'shell', event_id },
  };
  const now = Date.now();
  const outcome = {
    outcome_version: '1.0',
    status: 'success',
    correlation_id,
    causation_id: event_id,
    source: { type: 'agent', ...source },
    result: { answer: 42 },
    timing: {
      started_at: new Date(now - 42).toISOString(),
      completed_at: new Date(now).toISOString(),
      duration_ms: 42,
    },
  };
  const where = `--data-dir ${quote(status.data_dir ?? '')}`;
  return [
    colour.dim('# paste: a token, an invocation, its outcome, and what belongs to it'),
    `URL=${status.functions_url}`,
    `TOKEN=$(${command} token --role agent --actor my-agent ${where})`,
    post('invocations', start),
    post('outcomes', { invocation_id, outcome }),
    `${command} correlation ${correlation_id} ${where}`,
  ].join('\n');
}

function post(route: string, body: object): string {
  const headers = `-H "authorization: Bearer $TOKEN" -H 'content-type: application/json'`;
  return `curl -sS "$URL/${route}" ${headers} -d ${quote(JSON.stringify(body))}; echo`;
}

/** One shell word. */
export function quote(text: string): string {
  return /^[\w./:@=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
