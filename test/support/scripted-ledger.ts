import {
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
} from './scripted-server.ts';

/** A scripted server that answers as a ledger would, without keeping any rule; `interfere` goes first. */
export async function startScriptedLedger(
  interfere: (request: ScriptedRequest) => ScriptedAnswer | undefined = () => undefined,
): Promise<ScriptedServer> {
  let minted = 0;
  return startScriptedServer((request) => {
    const own = interfere(request);
    if (own) return own;
    const { method, path, json } = request;
    if (method === 'POST' && (path === 'invocations' || path === 'executions')) return started(path, json);
    if (method === 'POST' && path === 'outcomes') {
      minted += 1;
      return { status: 201, body: { ...json.outcome, outcome_id: `outcome-${minted}` } };
    }
    return { status: 201, body: json };
  });
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the client sent
function started(path: string, start: any): ScriptedAnswer {
  const type = path === 'invocations' ? 'agent' : 'workflow';
  return {
    status: 201,
    body: {
      execution_id: null,
      recovery_mode: 'reset',
      execution_pattern: 'sequential',
      ...start,
      causation_id: start.causation_id ?? start.trigger?.event_id,
      source: { type, ...start.source },
      state: 'running',
      outcome: null,
    },
  };
}
