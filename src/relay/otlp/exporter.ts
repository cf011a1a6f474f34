import { createSender, type Sender } from '../http/sender.ts';
import type { RelayReason } from '../types.ts';
import { SCHEMA_URL, SCOPE } from './attributes.ts';
import type { TraceConfig } from './config.ts';
import { keyValues, type Span } from './span.ts';

/** What became of spans: taken and refused for good; or none of it yet, and why. */
export type Exported =
  | { done: true; exported: number; rejected: number }
  | { done: false; reason: RelayReason; retryAfterMs: number | null };

/** These say that the same request may succeed later (OTLP). */
const PASSING = new Set([429, 502, 503, 504]);
/** These say that spans are wrong, or too many; anything else that this endpoint or these credentials are. */
const BAD_DATA = new Set([400, 413, 422]);

export interface TraceExporter {
  export(spans: readonly Span[]): Promise<Exported>;
  close(): void;
}

/** Sends spans to an OTLP endpoint over HTTP, as JSON. The endpoint is the operator's own choice and may stand anywhere. */
export function createExporter(config: TraceConfig, sender: Sender = createSender({ reach: 'any' })): TraceExporter {
  const post = (spans: readonly Span[]) =>
    sender.post({
      url: config.endpoint,
      headers: { 'user-agent': 'outcome-ledger', ...config.headers, 'content-type': 'application/json' },
      body: JSON.stringify(requestOf(spans, config.resource)),
      timeoutMs: config.timeoutMs,
    });

  const send = async (spans: readonly Span[]): Promise<Exported> => {
    const came = await post(spans);
    if (!came.answered) {
      const { code, message } = came.fault;
      return { done: false, reason: { code, message, remedy: null }, retryAfterMs: null };
    }
    if (came.status >= 200 && came.status < 300) {
      const rejected = Math.min(spans.length, rejectedIn(came.body));
      return { done: true, exported: spans.length - rejected, rejected };
    }
    if (BAD_DATA.has(came.status)) return halves(spans);
    const reason = {
      code: 'traces_refused',
      message: `the traces’ endpoint answered ${came.status}${came.words ? `: ${came.words}` : ''}`,
      remedy: PASSING.has(came.status)
        ? null
        : 'Check OTEL_EXPORTER_OTLP_ENDPOINT and OTEL_EXPORTER_OTLP_HEADERS; nothing is lost meanwhile.',
    };
    return { done: false, reason, retryAfterMs: came.retryAfterMs };
  };

  /** Finds the span that is refused, so that the others are not lost with it. */
  const halves = async (spans: readonly Span[]): Promise<Exported> => {
    if (spans.length <= 1) return { done: true, exported: 0, rejected: spans.length };
    const middle = Math.ceil(spans.length / 2);
    const first = await send(spans.slice(0, middle));
    if (!first.done) return first;
    // Spans that are sent twice are the same spans.
    const second = await send(spans.slice(middle));
    if (!second.done) return second;
    return { done: true, exported: first.exported + second.exported, rejected: first.rejected + second.rejected };
  };

  return { export: (spans) => send(spans), close: () => sender.close() };
}

function requestOf(spans: readonly Span[], resource: Record<string, string>): unknown {
  const scopeSpans = [{ scope: { name: SCOPE }, spans, schemaUrl: SCHEMA_URL }];
  return { resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans }] };
}

/** A partial success names how many spans were not taken, in digits or as a number. */
function rejectedIn(body: Buffer): number {
  try {
    const { partialSuccess } = JSON.parse(body.toString()) as { partialSuccess?: { rejectedSpans?: string | number } };
    return Number(partialSuccess?.rejectedSpans ?? 0) || 0;
  } catch {
    return 0;
  }
}
