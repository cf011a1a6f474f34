import { DOCUMENTS } from '../src/contract/documents/index.ts';
import { type ObjectShape, shapeOf } from '../src/contract/shape.ts';
import { literal, textArray } from './sql-text.ts';

/**
 * The short way of `envelope_ok`: a success of an agent without a policy decision, in the spelling that clients use, is
 * recognised by one jsonpath and a few subtractions of keys. It only ever says yes; everything else, good or bad, goes the
 * long way. A function's expressions are set up anew in every transaction, and the long way has hundreds: for one
 * recording a transaction that costs more than evaluating them. test/contract-twins.db.test.ts holds both ways against
 * the TypeScript rules.
 *
 * Lax mode unwraps arrays, so every value's type is asked before its content.
 */
// Lengths are asked in SQL: a bounded repetition makes the regular expression ten times as slow.
const ID = '"^[!-~]+$"';
const NUMBER = '(0|[1-9][0-9]*)';
const TIME =
  '"^(19[7-9][0-9]|[2-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z$"';

const isText = (path: string, pattern: string) => [`${path}.type() == "string"`, `${path} like_regex ${pattern}`];
const isAbsent = (path: string) => `(!exists(${path}) || ${path} == null)`;

const CONDITIONS = [
  '$.type() == "object"',
  '$.outcome_version.type() == "string"',
  '$.outcome_version == "1.0"',
  '$.status.type() == "string"',
  '$.status == "success"',
  ...isText('$.correlation_id', ID),
  ...isText('$.causation_id', ID),
  '$.source.type() == "object"',
  '$.source.type.type() == "string"',
  '$.source.type == "agent"',
  ...isText('$.source.id', ID),
  ...isText('$.source.domain', ID),
  ...isText('$.source.version', `"^${NUMBER}[.]${NUMBER}[.]${NUMBER}$"`),
  '$.result.type() == "object"',
  '$.errors.type() == "array"',
  '$.errors.size() == 0',
  '$.timing.type() == "object"',
  ...isText('$.timing.started_at', TIME),
  ...isText('$.timing.completed_at', TIME),
  '$.timing.started_at <= $.timing.completed_at',
  '$.timing.duration_ms.type() == "number"',
  '$.timing.duration_ms >= 0',
  '$.timing.duration_ms <= 9007199254740991',
  '$.timing.duration_ms.floor() == $.timing.duration_ms',
  isAbsent('$.outcome_id'),
  isAbsent('$.escalation'),
  isAbsent('$.policy'),
  isAbsent('$.execution_context'),
];

function namesOf(shape: ObjectShape): string[] {
  return [...shape.members.keys()];
}

function memberShape(envelope: ObjectShape, name: string): ObjectShape {
  const member = envelope.members.get(name)?.shape;
  if (member?.type !== 'object') throw new Error(`${name} is not an object`);
  return member;
}

/** Statements that return true for a plain success. */
export function plainSuccessStatements(): string[] {
  const envelope = shapeOf(DOCUMENTS.envelope.schema);
  if (envelope.type !== 'object') throw new Error('the envelope is not an object');
  const others = namesOf(memberShape(envelope, 'quality')).filter((name) => name !== 'confidence');
  const quality = [
    isAbsent('$.quality'),
    `($.quality.type() == "object" && $.quality.confidence.type() == "number" && $.quality.confidence >= 0 && $.quality.confidence <= 1 && ${others
      .map((name) => isAbsent(`$.quality.${name}`))
      .join(' && ')})`,
  ];
  const path = [...CONDITIONS, `(${quality.join(' || ')})`].join(' && ');
  const knows = (json: string, shape: ObjectShape) => `${json} - ${textArray(namesOf(shape))} = '{}'::jsonb`;
  return [
    `if doc @@ ${literal(path)}::jsonpath then`,
    `  if ${knows('doc', envelope)}`,
    `     and ${knows("(doc -> 'source')", memberShape(envelope, 'source'))}`,
    `     and ${knows("(doc -> 'timing')", memberShape(envelope, 'timing'))}`,
    `     and ${knows("coalesce(nullif(doc -> 'quality', 'null'::jsonb), '{}'::jsonb)", memberShape(envelope, 'quality'))}`,
    ...['{correlation_id}', '{causation_id}', '{source,id}', '{source,domain}', '{source,version}'].map(
      (place) => `     and length(doc #>> ${literal(place)}) <= ${place === '{source,version}' ? 100 : 200}`,
    ),
    '  then return true; end if;',
    'end if;',
  ];
}
