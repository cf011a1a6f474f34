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

/** A jsonpath that is true of an envelope which is its own stored form: strict, so that an absent member makes it unknown. */
function lacksNothing(shape: ObjectShape, optional: readonly string[]): string {
  const named = (names: readonly string[], path: string) => names.map((name) => `exists(${path}.${name})`).join(' && ');
  const conditions = ['$.type() == "object"', named(optional, '$')];
  for (const [name, { shape: member }] of shape.members) {
    if (member.type === 'object' && optionalOf(member).length > 0) {
      conditions.push(`($.${name} == null || ${named(optionalOf(member), `$.${name}`)})`);
    }
    if (member.type === 'list' && member.item.type === 'object') {
      conditions.push(`$.${name}.type() == "array"`, `$.${name}.size() == 0`);
    }
  }
  return `strict ${conditions.join(' && ')} && !($.keyvalue().key == "${SERVER_SET}")`;
}

function normaliseBody(shape: ObjectShape): string {
  const optional = optionalOf(shape).filter((name) => name !== SERVER_SET);
  const statements = [
    // The usual case in one expression: setting one up costs more than what it asks.
    `if e @@ ${literal(lacksNothing(shape, optional))}::jsonpath then return e; end if;`,
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
      body: ['begin', `  return ${literal(JSON.stringify(EVENT_TYPE_OF_STATUS))}::jsonb ->> status;`, 'end'].join('\n'),
      grantees: CHECKERS,
    }),
  ];
}
