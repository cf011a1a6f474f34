import { DOCUMENTS } from '../src/contract/documents/index.ts';
import { type ObjectShape, shapeOf } from '../src/contract/shape.ts';
import { EVENT_TYPE_OF_STATUS } from '../src/contract/statuses.ts';
import { CHECKERS, functionSql, literal, PURE, textArray } from './sql-text.ts';

const SERVER_SET = 'outcome_id';

/** An object that gives every optional member its stored form; `||` lets a sent value win. */
function nulls(names: readonly string[]): string {
  return `${literal(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))))}::jsonb`;
}

const lacks = (json: string, names: readonly string[]) => `not ${json} ?& ${textArray(names)}`;

function optionalOf(shape: ObjectShape): string[] {
  return [...shape.members].filter(([, member]) => member.optional).map(([name]) => name);
}

/** The stored form of a nested object; an object that lacks nothing is left alone, which is the usual case. */
function nestedObject(name: string, optional: readonly string[]): string[] {
  if (optional.length === 0) return [];
  return [
    `part := stored -> ${literal(name)};`,
    `if jsonb_typeof(part) = 'object' and ${lacks('part', optional)} then`,
    `  stored := stored || jsonb_build_object(${literal(name)}, ${nulls(optional)} || part);`,
    'end if;',
  ];
}

function nestedList(name: string, optional: readonly string[]): string[] {
  return [
    `part := stored -> ${literal(name)};`,
    "if jsonb_typeof(part) = 'null' then",
    `  stored := stored || '{"${name}":[]}'::jsonb;`,
    "elsif jsonb_typeof(part) = 'array' and part <> '[]'::jsonb then",
    `  stored := stored || jsonb_build_object(${literal(name)}, (`,
    '    select jsonb_agg(',
    `      case when jsonb_typeof(entry.value) = 'object' then ${nulls(optional)} || entry.value else entry.value end order by entry.position)`,
    '    from jsonb_array_elements(part) with ordinality as entry(value, position)));',
    'end if;',
  ];
}

function normaliseBody(shape: ObjectShape): string {
  const optional = optionalOf(shape).filter((name) => name !== SERVER_SET);
  const statements = [
    "if jsonb_typeof(e) is distinct from 'object' then return e; end if;",
    `stored := case when e ? ${literal(SERVER_SET)} then e - ${literal(SERVER_SET)} else e end;`,
    `if ${lacks('stored', optional)} then stored := ${nulls(optional)} || stored; end if;`,
  ];
  for (const [name, { shape: member }] of shape.members) {
    if (member.type === 'object') statements.push(...nestedObject(name, optionalOf(member)));
    if (member.type !== 'list' || member.item.type !== 'object') continue;
    statements.push(...nestedList(name, optionalOf(member.item)));
  }
  const indented = [...statements, 'return stored;'].map((line) => `  ${line}`);
  return ['declare', '  stored jsonb;', '  part jsonb;', 'begin', ...indented, 'end'].join('\n');
}

/** What recording needs beside the checks: the stored form, equality for replays, the event's type. */
export function envelopeFunctions(): string[] {
  const shape = shapeOf(DOCUMENTS.envelope.schema);
  if (shape.type !== 'object') throw new Error('the envelope is not an object');
  const cases = Object.entries(EVENT_TYPE_OF_STATUS).map(
    ([status, type]) => `    when ${literal(status)} then ${literal(type)}`,
  );
  return [
    functionSql({
      name: 'normalise_envelope',
      parameters: 'e jsonb',
      signature: 'jsonb',
      returns: 'jsonb',
      traits: PURE,
      comment:
        'The stored form of an envelope, its id left out: an absent optional member is null, absent errors are an empty list. Anything but an object comes back as it is.',
      body: normaliseBody(shape),
      grantees: CHECKERS,
    }),
    functionSql({
      name: 'same_content',
      parameters: 'a jsonb, b jsonb',
      signature: 'jsonb, jsonb',
      returns: 'boolean',
      traits: PURE,
      comment:
        'Do two envelopes say the same? Order of members, spelling of numbers and outcome_id aside; an absent optional member is null.',
      body: `
begin
  return coalesce(ledger_internal.normalise_envelope(a) = ledger_internal.normalise_envelope(b), a is null and b is null);
end`,
      grantees: CHECKERS,
    }),
    functionSql({
      name: 'event_type',
      parameters: 'status text',
      signature: 'text',
      returns: 'text',
      traits: PURE,
      comment: 'The type of the event that an outcome of this status emits.',
      body: ['begin', '  return case status', ...cases, '  end;', 'end'].join('\n'),
      grantees: CHECKERS,
    }),
  ];
}
