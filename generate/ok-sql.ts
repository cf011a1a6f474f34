import { DOCUMENTS, type DocumentName } from '../src/contract/documents/index.ts';
import type { Rule } from '../src/contract/rules/rule.ts';
import { type ObjectShape, type Shape, shapeOf } from '../src/contract/shape.ts';
import { memberPlace } from './places-sql.ts';
import { plainSuccessStatements } from './plain-success-sql.ts';
import { type Finder, ruleSql } from './rules-sql.ts';
import { kindSql, type Place } from './scalars-sql.ts';
import { CHECKERS, functionSql, literal, PURE, textArray } from './sql-text.ts';
import { STORABLE_STATEMENTS } from './storable-sql.ts';

const FAIL = 'return false;';

/** Collects the declarations and statements of one checking function. */
class Writer {
  readonly variables = new Map<string, string>();
  readonly statements: string[] = [];
  #names = new Map<string, string>();

  variable(path: string, type: string): string {
    const base = path.replaceAll('/', '_').replace(/^_/, '');
    const name = `the_${base}`;
    this.variables.set(name, type);
    return name;
  }

  remember(path: string, variable: string): void {
    this.#names.set(path, variable);
  }

  /** Rules read nested objects from their variables. */
  readonly find: Finder = (path) => {
    const [, ...segments] = path.split('/');
    const parts = [...segments];
    while (parts.length > 0) {
      const variable = this.#names.get(`/${parts.join('/')}`);
      if (variable) return memberPlace(variable, segments.slice(parts.length));
      parts.pop();
    }
    return memberPlace('doc', segments);
  };

  add(depth: number, ...texts: string[]): void {
    for (const text of texts) this.statements.push(`${'  '.repeat(depth)}${text}`);
  }
}

function scalarTest(shape: Shape & { type: 'scalar' }, place: Place, optional: boolean): string | undefined {
  if (shape.kind.base === 'any') return undefined;
  const test = kindSql(shape.kind, place);
  if (!optional) return `(${test})`;
  // The text of a member is null when the member is absent or null; an object's text is dear, its type is not.
  if (shape.kind.base === 'object') return `coalesce(jsonb_typeof(${place.json}) in ('object', 'null'), true)`;
  return `(${place.text} is null or (${test}))`;
}

/** Statements that return false unless `base`, known to be an object, has this shape. */
function objectStatements(writer: Writer, shape: ObjectShape, base: string, path: string, depth: number): void {
  const names = [...shape.members.keys()];
  const tests = [`${base} - ${textArray(names)} = '{}'::jsonb`];
  for (const [name, member] of shape.members) {
    if (member.shape.type !== 'scalar') continue;
    const test = scalarTest(member.shape, memberPlace(base, [name]), member.optional);
    if (test) tests.push(test);
  }
  writer.add(
    depth,
    'if (',
    ...tests.map((test, i) => `${i === 0 ? '      ' : '  and '}${test}`),
    `) is not true then ${FAIL} end if;`,
  );
  for (const [name, member] of shape.members) {
    if (member.shape.type === 'scalar') continue;
    const memberPath = `${path}/${name}`;
    const variable = writer.variable(memberPath, 'jsonb');
    writer.remember(memberPath, variable);
    writer.add(depth, `${variable} := ${base} -> ${literal(name)};`);
    nestedStatements(writer, member.shape, variable, memberPath, depth, member.optional);
  }
}

function nestedStatements(
  writer: Writer,
  shape: Exclude<Shape, { type: 'scalar' }>,
  variable: string,
  path: string,
  depth: number,
  optional: boolean,
): void {
  const type = shape.type === 'list' ? 'array' : 'object';
  writer.add(depth, `if jsonb_typeof(${variable}) = '${type}' then`);
  if (shape.type === 'object') objectStatements(writer, shape, variable, path, depth + 1);
  else listStatements(writer, shape.item, variable, path, depth + 1);
  const isAbsent = `coalesce(jsonb_typeof(${variable}), 'null') = 'null'`;
  writer.add(depth, optional ? `elsif not (${isAbsent}) then ${FAIL}` : `else ${FAIL}`, 'end if;');
}

function listStatements(writer: Writer, item: Shape, list: string, path: string, depth: number): void {
  const entry = writer.variable(`${path}/entry`, 'jsonb');
  // A loop over numbers needs no query; over an empty list it costs nothing.
  writer.add(depth, `for i in 0 .. jsonb_array_length(${list}) - 1 loop`, `  ${entry} := ${list} -> i;`);
  if (item.type === 'scalar') {
    const test = kindSql(item.kind, { json: entry, text: `(${entry} #>> '{}')` });
    writer.add(depth + 1, `if (${test}) is not true then ${FAIL} end if;`);
  } else {
    nestedStatements(writer, item, entry, `${path}/entry`, depth + 1, false);
  }
  writer.add(depth, 'end loop;');
}

function ruleStatements(writer: Writer, rules: readonly Rule[]): void {
  const tests = rules.map((rule) => `(${ruleSql(rule, writer.find, true)})`);
  if (tests.length === 0) {
    writer.add(1, 'return true;');
    return;
  }
  writer.add(1, 'return (', ...tests.map((test, i) => `${i === 0 ? '      ' : '  and '}${test}`), ');');
}

/** `<name>_ok(doc)`: one pass of plain boolean expressions, the hot path of every recording. */
export function okFunction(name: DocumentName): string {
  const { schema, rules } = DOCUMENTS[name];
  const shape = shapeOf(schema);
  if (shape.type !== 'object') throw new Error(`${name} is not an object`);
  const writer = new Writer();
  writer.add(1, "if jsonb_typeof(doc) is distinct from 'object' then return false; end if;");
  writer.add(1, ...STORABLE_STATEMENTS);
  if (name === 'envelope') writer.add(1, ...plainSuccessStatements());
  objectStatements(writer, shape, 'doc', '', 1);
  ruleStatements(writer, rules);
  const declarations = [...writer.variables].map(([variable, type]) => `  ${variable} ${type};`);
  return functionSql({
    name: `${name}_ok`,
    parameters: 'doc jsonb',
    signature: 'jsonb',
    returns: 'boolean',
    traits: PURE,
    comment: `Is this a good ${name.replaceAll('_', ' ')}? Never raises. Says only yes or no: ${name}_violations tells why.`,
    body: ['declare', '  the_numbers jsonb;', ...declarations, 'begin', ...writer.statements, 'end'].join('\n'),
    grantees: CHECKERS,
  });
}
