import type { CorrelationDocument, OutcomeRecord } from '../client/documents.ts';
import { getJson, type Reader } from './http.ts';

interface Page {
  items: OutcomeRecord[];
  next_cursor: string | null;
}

/** Ten thousand outcomes of one transaction; beyond that their errors are left out of the table. */
const MOST_PAGES = 10;
const WITHOUT_ERRORS = new Set(['success', 'skipped']);

/** `code: message` of the first error of each outcome that has one, by outcome id; lineage itself tells no errors. */
export async function firstErrors(reader: Reader, { correlation_id, nodes }: CorrelationDocument) {
  const wanted = new Set(nodes.filter((node) => !WITHOUT_ERRORS.has(node.status)).map((node) => node.outcome_id));
  const found = new Map<string, string>();
  let cursor: string | null = '';
  for (let page = 0; page < MOST_PAGES && wanted.size > 0 && cursor !== null; page += 1) {
    const query = new URLSearchParams({ correlation_id, limit: '1000', ...(cursor ? { cursor } : {}) });
    const answer: Page = await getJson<Page>(reader, `/outcomes?${query}`);
    for (const { outcome_id, errors } of answer.items) {
      const [first, ...more] = errors ?? [];
      if (!wanted.delete(outcome_id) || !first) continue;
      found.set(outcome_id, `${first.code}: ${first.message}${more.length > 0 ? ` (+${more.length})` : ''}`);
    }
    cursor = answer.next_cursor;
  }
  return found;
}
