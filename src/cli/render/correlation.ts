import type { CorrelationDocument } from '../../client/documents.ts';
import type { Colour } from './colour.ts';
import { paintStatus } from './colour.ts';
import { renderTable } from './table.ts';
import { showTime } from './time.ts';

/** Everything one business transaction did: its outcomes in the order they ended, what is open, how it hangs together. */
export function renderCorrelation(
  document: CorrelationDocument,
  errors: ReadonlyMap<string, string>,
  colour: Colour,
): string {
  const nodes = [...document.nodes].sort((a, b) => (a.completed_at < b.completed_at ? -1 : 1));
  const parts = [
    renderTable(
      nodes,
      [
        { title: 'status', value: (node) => node.status, paint: (text) => paintStatus(colour, text) },
        { title: 'source', value: (node) => `${node.source_type} ${node.source_id}@${node.source_version}` },
        { title: 'domain', value: (node) => node.domain },
        { title: 'completed', value: (node) => showTime(node.completed_at) },
        { title: 'outcome', value: (node) => node.outcome_id, paint: (text) => colour.dim(text) },
        // Last, since its width is anyone's; without errors there is no such column.
        ...(errors.size > 0
          ? [{ title: 'errors', value: (node: { outcome_id: string }) => errors.get(node.outcome_id) }]
          : []),
      ],
      colour,
    ),
  ];
  if (document.open.length > 0) {
    parts.push(
      `${colour.bold('open')}\n${renderTable(
        document.open,
        [
          { title: 'state', value: (item) => item.state, paint: (text) => paintStatus(colour, text) },
          { title: 'source', value: (item) => `${item.subject_type} ${item.source_id}` },
          { title: 'started', value: (item) => showTime(item.started_at) },
          { title: 'deadline', value: (item) => showTime(item.deadline_at) },
          { title: 'id', value: (item) => item.subject_id, paint: (text) => colour.dim(text) },
        ],
        colour,
      )}`,
    );
  }
  parts.push(colour.dim(countsOf(document)));
  return parts.filter((part) => part !== '').join('\n\n');
}

function countsOf(document: CorrelationDocument): string {
  const byRelation = new Map<string, number>();
  for (const link of document.links) byRelation.set(link.relation, (byRelation.get(link.relation) ?? 0) + 1);
  const links = [...byRelation].map(([relation, count]) => `${count} ${relation}`).join(', ');
  return `${document.nodes.length} outcomes, ${document.open.length} open${links === '' ? '' : `; links: ${links}`}`;
}
