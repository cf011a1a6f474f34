import { DOCUMENTS } from '../src/contract/documents/index.ts';
import { type ObjectShape, shapeOf } from '../src/contract/shape.ts';
import { literal, textArray } from './sql-text.ts';

/**
 * The short way of `envelope_ok`: a success of an agent without a policy decision, in the spelling that clients use, is
 * recognised by two jsonpaths and a few subtractions of keys. It only ever says yes; everything else, good or bad, goes the
 * long way. A function's expressions are set up anew in every transaction, each function call in them included, and the
 * long way has hundreds: for one recording a transaction that costs more than evaluating them.
 * test/contract-twins.db.test.ts holds both ways against the TypeScript rules.
 *
 * The first path is strict: what is absent, or of another type than it is compared with, is unknown and so no yes. The
 * second is lax, because members may be absent; lax mode unwraps arrays, so there every type is asked before the content.
 */
// Lengths are asked in SQL: a bounded repetition makes the regular expression ten times as slow.
const ID = '"^[!-~]+$"';
const NUMBER = '(0|[1-9][0-9]*)';
const TIME =
  '"^(19[7-9][0-9]|[2-9][0-9]{3})-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][.][0-9]{3}Z$"';

const isWhole = (path: string) => `${path} >= 0 && ${path} <= ${Number.MAX_SAFE_INTEGER} && ${path}.floor() == ${path}`;

const CONDITIONS = [
  '$.outcome_version == "1.0"',
  '$.status == "success"',
  `$.correlation_id like_regex ${ID}`,
  `$.causation_id like_regex ${ID}`,
  '$.source.type == "agent"',
  `$.source.id like_regex ${ID}`,
  `$.source.domain like_regex ${ID}`,
  `$.source.version like_regex "^${NUMBER}[.]${NUMBER}[.]${NUMBER}$"`,
  '$.result.type() == "object"',
  '$.errors.type() == "array"',
  '$.errors.size() == 0',
  `$.timing.started_at like_regex ${TIME}`,
  `$.timing.completed_at like_regex ${TIME}`,
  '$.timing.started_at <= $.timing.completed_at',
  isWhole('$.timing.duration_ms'),
];

/** What a member of `quality` must be when it is there; every member has to be named here. */
const QUALITY: Readonly<Record<string, string>> = {
  confidence: '@.type() == "number" && @ >= 0 && @ <= 1',
  critique_notes: '@.type() == "string"',
  iterations_used: `@.type() == "number" && ${isWhole('@')}`,
  groundedness_score: '@.type() == "number" && @ >= 0 && @ <= 1',
  evaluator_agent_id: `@.type() == "string" && @ like_regex ${ID}`,
};

/** Members that a plain success does not have. */
const ABSENT = ['outcome_id', 'escalation', 'policy', 'execution_context'];

/** A source within so many bytes has no member of more than a hundred characters; those of `ID` take a byte each. */
const SOURCE_BYTES = 150;

function namesOf(shape: ObjectShape): string[] {
  return [...shape.members.keys()];
}

function memberShape(envelope: ObjectShape, name: string): ObjectShape {
  const member = envelope.members.get(name)?.shape;
  if (member?.type !== 'object') throw new Error(`${name} is not an object`);
  return member;
}

function qualityConditions(names: readonly string[]): string[] {
  return names.map((name) => {
    const test = QUALITY[name];
    if (!test) throw new Error(`quality.${name} has no test`);
    const path = `$.${name}`;
    return `(!exists(${path}) || ${path} == null || ${test.replaceAll('@', () => path)})`;
  });
}

/** Statements that return true for a plain success. */
export function plainSuccessStatements(): string[] {
  const envelope = shapeOf(DOCUMENTS.envelope.schema);
  if (envelope.type !== 'object') throw new Error('the envelope is not an object');
  const quality = namesOf(memberShape(envelope, 'quality'));
  const others = namesOf(envelope).filter((name) => !ABSENT.includes(name));
  const nulls = JSON.stringify(Object.fromEntries(ABSENT.map((name) => [name, null])));
  const path = `strict ${CONDITIONS.join(' && ')}`;
  const qualityPath = qualityConditions(quality).join(' && ');
  const knows = (json: string, names: readonly string[]) => `${json} - ${textArray(names)} = '{}'::jsonb`;
  return [
    // Keys are subtracted below, where the path has told that these are objects: from anything else that raises.
    `if doc @@ ${literal(path)}::jsonpath then`,
    `  if doc - ${textArray(others)} <@ ${literal(nulls)}::jsonb`,
    `     and ${knows("(doc -> 'source')", namesOf(memberShape(envelope, 'source')))}`,
    `     and ${knows("(doc -> 'timing')", namesOf(memberShape(envelope, 'timing')))}`,
    `     and (case coalesce(jsonb_typeof(doc -> 'quality'), 'null')`,
    `           when 'object' then ${knows("(doc -> 'quality')", quality)} and (doc -> 'quality') @@ ${literal(qualityPath)}::jsonpath`,
    `           else coalesce(doc -> 'quality', 'null'::jsonb) = 'null'::jsonb`,
    '         end)',
    `     and pg_column_size(doc -> 'source') <= ${SOURCE_BYTES} and length(doc ->> 'correlation_id') <= 200 and length(doc ->> 'causation_id') <= 200`,
    `     and coalesce(length(doc #>> '{quality,evaluator_agent_id}') <= 200, true)`,
    '  then return true; end if;',
    'end if;',
  ];
}
