import { DOCUMENTS, type DocumentName } from '../src/contract/documents/index.ts';
import {
  complaint,
  isRequired,
  type Member,
  mustBe,
  NOT_A_MEMBER,
  type ObjectShape,
  type Shape,
  shapeOf,
} from '../src/contract/shape.ts';
import { MAX_VIOLATIONS } from '../src/contract/violation.ts';
import { memberPlace } from './places-sql.ts';
import { type Finder, ruleSql } from './rules-sql.ts';
import { kindSql, type Place } from './scalars-sql.ts';
import { CHECKERS, functionSql, literal, PURE, textArray } from './sql-text.ts';

/** A path in SQL: a constant with the indexes of the lists around it. */
type PathSql = string;

function add(path: PathSql, rule: string, message: string): string {
  return `v := v || ledger_internal.violation(${path}, ${literal(rule)}, ${literal(message)});`;
}

function pathBelow(path: PathSql, segment: string): PathSql {
  const constant = /^'(.*)'$/.exec(path)?.[1];
  if (constant !== undefined && !constant.includes("'")) return `'${constant}/${segment}'`;
  return `${path} || '/${segment}'`;
}

function wrong(shape: Shape, { json, text }: Place): string {
  if (shape.type === 'scalar') return `(${kindSql(shape.kind, { json, text })}) is not true`;
  return `jsonb_typeof(${json}) is distinct from '${shape.type === 'list' ? 'array' : 'object'}'`;
}

const isAbsent = (json: string) => `coalesce(jsonb_typeof(${json}), 'null') = 'null'`;

class ViolationsWriter {
  readonly declarations = new Map<string, string>();
  readonly lines: string[] = [];
  #depth = 1;

  add(...texts: string[]): void {
    for (const text of texts) this.lines.push(`${'  '.repeat(this.#depth)}${text}`);
  }

  block(opening: string, body: () => void, closing: string): void {
    this.add(opening);
    this.#depth++;
    body();
    this.#depth--;
    this.add(closing);
  }

  object(shape: ObjectShape, base: string, path: PathSql): void {
    const known = textArray([...shape.members.keys()]);
    this.block(
      `for unknown_member in select jsonb_object_keys(${base} - ${known}) limit ${MAX_VIOLATIONS} loop`,
      () => this.add(add(`${path} || ledger_internal.pointer_segment(unknown_member)`, 'unknown_member', NOT_A_MEMBER)),
      'end loop;',
    );
    for (const [name, member] of shape.members) this.member(member, memberPlace(base, [name]), pathBelow(path, name));
  }

  member({ shape, optional }: Member, place: Place, path: PathSql): void {
    if (shape.type === 'scalar' && shape.kind.base === 'any') return;
    if (optional) this.add(`if ${isAbsent(place.json)} then null;`);
    else this.add(`if ${isAbsent(place.json)} then ${add(path, 'required', isRequired(shape))}`);
    this.add(`elsif ${wrong(shape, place)} then ${add(path, complaint(shape).rule, mustBe(shape))}`);
    if (shape.type !== 'scalar') this.block('else', () => this.inside(shape, place.json, path), 'end if;');
    else this.add('end if;');
  }

  inside(shape: Exclude<Shape, { type: 'scalar' }>, json: string, path: PathSql): void {
    if (shape.type === 'object') {
      this.object(shape, json, path);
      return;
    }
    const { item } = shape;
    const entry = { json: 'entry', text: "(entry #>> '{}')" };
    const entryPath = `${path} || '/' || i`;
    this.block(
      `for i in 0 .. jsonb_array_length(${json}) - 1 loop`,
      () => {
        this.add(`exit when jsonb_array_length(v) >= ${MAX_VIOLATIONS};`, `entry := ${json} -> i;`);
        this.member({ shape: item, optional: false }, entry, entryPath);
      },
      'end loop;',
    );
  }
}

/** `<name>_violations(doc)`: the whole list, asked for only after `<name>_ok` said no. */
export function violationsFunction(name: DocumentName): string {
  const { schema, rules } = DOCUMENTS[name];
  const shape = shapeOf(schema);
  if (shape.type !== 'object') throw new Error(`${name} is not an object`);
  const writer = new ViolationsWriter();
  const find: Finder = (path) => memberPlace('doc', path.split('/').slice(1));
  const notAnObject = `ledger_internal.violation('', 'object', ${literal(mustBe(shape))})`;
  writer.add(
    'v := ledger_internal.unstorable(doc);',
    `if v <> '[]'::jsonb then return v; end if;`,
    `if jsonb_typeof(doc) is distinct from 'object' then return ${notAnObject}; end if;`,
  );
  writer.object(shape, 'doc', "''");
  for (const rule of rules) {
    writer.add(
      `if (${ruleSql(rule, find, false)}) is not true then ${add(literal(rule.path), rule.rule, rule.message)} end if;`,
    );
  }
  writer.add(`return jsonb_path_query_array(v, '$[0 to ${MAX_VIOLATIONS - 1}]');`);
  return functionSql({
    name: `${name}_violations`,
    parameters: 'doc jsonb',
    signature: 'jsonb',
    returns: 'jsonb',
    traits: PURE,
    comment: `What is wrong with this ${name.replaceAll('_', ' ')}: a list of {path, rule, message}, empty when it is good. Never raises.`,
    body: ['declare', '  v jsonb;', '  entry jsonb;', '  unknown_member text;', 'begin', ...writer.lines, 'end'].join(
      '\n',
    ),
    grantees: CHECKERS,
  });
}
