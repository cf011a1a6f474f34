import type {
  CorrelationDocument,
  GapKind,
  GapsDocument,
  LineageDocument,
  LinkInput,
  LinkRecord,
  Recorded,
} from '../documents.ts';
import { prepared } from '../prepared.ts';
import type { Transport } from '../transport.ts';
import { segment } from '../url.ts';
import { readOne } from './read.ts';

export interface DepthOptions {
  /** 1 to 64, default 20. What lies deeper is left out, and `truncated` says so. */
  maxDepth?: number;
}

export interface Lineage {
  /** What led to this outcome. */
  why(outcomeId: string, options?: DepthOptions): Promise<LineageDocument>;
  /** What this outcome led to. */
  impact(outcomeId: string, options?: DepthOptions): Promise<LineageDocument>;
  /** Every outcome of one business transaction, its links, and what is still open. */
  correlation(correlationId: string): Promise<CorrelationDocument>;
  /** What is missing in the record. */
  gaps(options?: { gap?: GapKind; limit?: number }): Promise<GapsDocument>;
  /** Declares a link (orchestrators). */
  link(link: LinkInput): Promise<Recorded<LinkRecord>>;
}

export function lineage(transport: Transport): Lineage {
  const walk =
    (direction: 'why' | 'impact') =>
    (outcomeId: string, options: DepthOptions = {}) =>
      readOne<LineageDocument>(transport, `lineage/outcomes/${segment(outcomeId)}/${direction}`, {
        max_depth: options.maxDepth,
      });
  return {
    why: walk('why'),
    impact: walk('impact'),
    correlation: (id) => readOne(transport, `lineage/correlations/${segment(id)}`),
    gaps: (options = {}) => readOne(transport, 'lineage/gaps', options),
    async link(link) {
      const body = prepared(link, 'the link');
      const answer = await transport.call<LinkRecord>({ method: 'POST', path: 'lineage/links', body });
      return { record: answer.data, replayed: answer.replayed };
    },
  };
}
