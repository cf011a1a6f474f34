import type { Sender } from '../http/sender.ts';
import type { Due, RelayLedger, TurnOrder } from '../ledger.ts';
import type { RelayPace, RetrySchedule } from '../types.ts';
import { CLOUD_EVENT_TYPE, cloudEventOf } from './cloud-event.ts';
import { Settler } from './settler.ts';
import { signatureOf } from './signature.ts';
import { type Verdict, verdictOn } from './verdict.ts';

/** Then a turn begins no other correlation: what has become due meanwhile gets its place in the next one. */
const TURN_MS = 15_000;

export interface TurnParts {
  ledger: Pick<RelayLedger, 'settle'>;
  sender: Sender;
  /** Names this ledger in `source`. */
  source: string;
  concurrency: number;
  pace: RelayPace;
  schedule: RetrySchedule;
  random: () => number;
  /** Lets what is under way end, and begins nothing more. */
  stop: AbortSignal;
  onVerdict(turn: TurnOrder, verdict: Verdict): void;
  onFault(error: unknown): void;
}

/** What a turn's lanes share. */
interface Turn {
  order: TurnOrder;
  parts: TurnParts;
  settler: Settler;
  chains: Due[][];
  /** On the monotonic clock. */
  began: number;
  /** The receiver wants nothing now, or the lease is gone. */
  over: boolean;
}

/**
 * Sends to one webhook what may be sent. The events of a correlation go one after the other, and behind one that failed none
 * goes; correlations go side by side, one at a time where the receiver was failing, until it takes something again.
 */
export async function serveTurn(order: TurnOrder, token: string, leasedAt: number, parts: TurnParts): Promise<void> {
  const { ledger, pace, random, onFault } = parts;
  const settler = new Settler({ ledger, turn: order, token, pace, leasedAt, random, onFault });
  const turn: Turn = { order, parts, settler, chains: chainsOf(order.due), began: leasedAt, over: false };
  const lanes: Promise<void>[] = [];
  let open = 0;
  const widen = (width: number) => {
    while (open < width && turn.chains.length > 0) {
      open += 1;
      lanes.push(
        runLane(turn, () => widen(parts.concurrency)).finally(() => {
          open -= 1;
        }),
      );
    }
  };
  widen(order.failing ? 1 : parts.concurrency);
  // Lanes are added while others run.
  for (let n = 0; n < lanes.length; n += 1) await lanes[n];
  await settler.finish();
}

function chainsOf(due: readonly Due[]): Due[][] {
  const chains = new Map<string, Due[]>();
  for (const one of due) {
    const chain = chains.get(one.correlation_id);
    if (chain) chain.push(one);
    else chains.set(one.correlation_id, [one]);
  }
  return [...chains.values()];
}

async function runLane(turn: Turn, onDelivered: () => void): Promise<void> {
  for (let chain = turn.chains.shift(); chain; chain = turn.chains.shift()) {
    if (performance.now() - turn.began > TURN_MS) return;
    for (const due of chain) {
      if (turn.over || turn.parts.stop.aborted || !(await turn.settler.ready())) return;
      const verdict = await attempt(turn, due);
      turn.settler.add(verdict.result, verdict.pauseMs);
      turn.parts.onVerdict(turn.order, verdict);
      if (verdict.pauseMs > 0 || verdict.result.result === 'gone') turn.over = true;
      // Also behind one that was given up: that must be on record before the next is sent.
      if (verdict.result.result !== 'delivered') break;
      onDelivered();
    }
  }
}

async function attempt({ order, parts }: Turn, due: Due): Promise<Verdict> {
  if (due.event === null) return purged(due);
  const { sender, source, pace, schedule, random } = parts;
  const body = JSON.stringify(cloudEventOf(due.event_id, due.event, order.tenant_id, source));
  const timestamp = Math.floor(Date.now() / 1000);
  const came = await sender.post({
    url: order.url,
    headers: {
      'content-type': CLOUD_EVENT_TYPE,
      'user-agent': 'outcome-ledger',
      'webhook-id': due.event_id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(due.event_id, timestamp, body, order.secrets),
    },
    body,
    timeoutMs: pace.timeoutMs,
  });
  return verdictOn(due.event_id, due.attempts, came, { schedule, random });
}

function purged({ event_id }: Due): Verdict {
  const error = 'event_purged: retention has taken the event';
  return {
    result: { event_id, result: 'dead', status: null, error, retry_in_ms: 0 },
    code: 'event_purged',
    pauseMs: 0,
  };
}
