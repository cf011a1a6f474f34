import { describe, expect, test } from 'vitest';
import { colours } from './colour.ts';
import { type DrawnLineage, renderTree } from './tree.ts';

const plain = colours(false);
const id = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;

function node(n: number, source: string, status: DrawnLineage['nodes'][number]['status'] = 'success') {
  return {
    outcome_id: id(n),
    source_type: 'agent' as const,
    source_id: source,
    source_version: '1.0.0',
    status,
    completed_at: `2026-05-20T10:00:0${n}.000000Z`,
  };
}

function link(from: number, to: number, relation: DrawnLineage['links'][number]['relation'] = 'invoked') {
  return { source_outcome_id: id(from), target_outcome_id: id(to), relation };
}

/** 1 caused 2 and 3, both contributed to 4, which 5 governed. */
const diamond: DrawnLineage = {
  outcome_id: id(4),
  direction: 'why',
  truncated: false,
  nodes: [node(4, 'end', 'partial'), node(2, 'left'), node(3, 'right', 'failure'), node(1, 'root'), node(5, 'guard')],
  links: [
    link(2, 4, 'contributed-to'),
    link(3, 4, 'contributed-to'),
    link(1, 2),
    link(1, 3),
    link(4, 5, 'governed-by'),
  ],
};

describe('causal chain', () => {
  test('draws causes below their effects; a node reached twice stands once in full, then as a reference', () => {
    expect(renderTree(diamond, plain)).toBe(
      [
        `                   partial  agent end@1.0.0    2026-05-20 10:00:04.000Z  ${id(4)}`,
        `├─ contributed-to  success  agent left@1.0.0   2026-05-20 10:00:02.000Z  ${id(2)}`,
        `│  └─ invoked      success  agent root@1.0.0   2026-05-20 10:00:01.000Z  ${id(1)}`,
        `├─ contributed-to  failure  agent right@1.0.0  2026-05-20 10:00:03.000Z  ${id(3)}`,
        `│  └─ invoked      success  agent root@1.0.0   ↑ shown above             ${id(1)}`,
        `└─ governed-by     success  agent guard@1.0.0  2026-05-20 10:00:05.000Z  ${id(5)}`,
      ].join('\n'),
    );
  });

  test('ends the chain in what was recorded as its cause, found or not', () => {
    const cause = { type: null, source: null, state: null };
    const causes = [
      {
        ...cause,
        outcome_id: id(1),
        causation_id: 'order-1',
        kind: 'event' as const,
        type: 'order.received',
        source: 'shop',
      },
      { ...cause, outcome_id: id(5), causation_id: 'lost\n', kind: null },
      {
        ...cause,
        outcome_id: id(4),
        causation_id: id(9),
        kind: 'execution' as const,
        state: 'running',
        source: 'flow',
      },
    ];
    const lines = renderTree({ ...diamond, causes, causes_left_out: 2 }, plain).split('\n');
    expect(lines.filter((line) => line.includes('caused by'))).toEqual([
      `├─ caused by        execution ${id(9)} (running by flow)`,
      '│     └─ caused by  event order-1 (order.received from shop)',
      '   └─ caused by     lost\\n  unresolved (see outcome-ledger gaps)',
    ]);
    expect(lines.at(-1)).toMatch(/2 more was not looked up/);
  });

  test('draws effects when impact was asked', () => {
    const text = renderTree({ ...diamond, outcome_id: id(1), direction: 'impact' }, plain);
    expect(text.split('\n').map((line) => line.replace(/\s+(success|partial|failure).*agent (\w+)@.*/, ' $2'))).toEqual(
      [' root', '├─ invoked left', '│  └─ contributed-to end', '└─ invoked right', '   └─ contributed-to end'],
    );
  });

  test('a cycle ends with a reference', () => {
    const nodes = [node(1, 'a'), node(2, 'b')];
    const text = renderTree({ ...diamond, outcome_id: id(1), nodes, links: [link(1, 2), link(2, 1)] }, plain);
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toContain('↑ shown above');
  });

  test('says aloud that it was cut', () => {
    expect(renderTree({ ...diamond, truncated: true }, plain)).toMatch(/cut at the depth limit/);
  });

  test('shortens ids on a narrow terminal, and never in a file', () => {
    expect(renderTree(diamond, plain, 80)).not.toContain(id(4));
    expect(renderTree(diamond, plain, 80)).toContain(id(4).slice(0, 8));
    expect(renderTree(diamond, plain)).toContain(id(4));
  });

  test('a chain of two thousand does not exhaust the stack', () => {
    const nodes = Array.from({ length: 2_000 }, (_, n) => node(n, 'x'));
    const links = nodes.slice(1).map((_, n) => link(n + 1, n));
    const text = renderTree({ ...diamond, outcome_id: id(0), nodes, links }, plain);
    expect(text.split('\n')).toHaveLength(2_000);
  });
});
