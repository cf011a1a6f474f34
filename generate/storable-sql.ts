import { DOCUMENT_MAX_BYTES } from '../src/contract/documents/parts.ts';
import { INEXACT_NUMBER, MAX_DECIMALS, MAX_NESTING, TOO_DEEP, TOO_LARGE } from '../src/contract/storable.ts';
import { MAX_VIOLATIONS } from '../src/contract/violation.ts';
import { CHECKERS, functionSql, literal, PURE } from './sql-text.ts';

// Bounded to the first level that is too deep, so that no document exhausts the stack.
const DEEP_PATH = `strict $.**{${MAX_NESTING}} ? (@.type() == "object" || @.type() == "array")`;
const NUMBERS_PATH = 'strict $.** ? (@.type() == "number")';

/**
 * What every document is asked first: can all of it be stored and read back as sent? Up to 15 digits always come back
 * from a double, so only a longer number is worth a closer look; and only a few numbers are ever written out together,
 * because each may be 131 kB of text.
 */
export const STORABLE_STATEMENTS = [
  `if pg_column_size(doc) > ${DOCUMENT_MAX_BYTES} or doc @? '${DEEP_PATH}' then return false; end if;`,
  `the_numbers := jsonb_path_query_array(doc, '${NUMBERS_PATH}');`,
  `if (case when jsonb_array_length(the_numbers) > 64 then true else the_numbers::text ~ '[0-9.]{16}' end) then`,
  '  if not ledger_internal.numbers_exact(the_numbers) then return false; end if;',
  'end if;',
] as const;

const significantDigits = (n: string) => `length(btrim(replace(abs(${n})::text, '.', ''), '0'))`;

const numberExact = functionSql({
  name: 'number_exact',
  parameters: 'n numeric',
  signature: 'numeric',
  returns: 'boolean',
  traits: PURE,
  settings: ['extra_float_digits = 1'],
  comment:
    'Does a double give this number back in its shortest form? The bounds go first: a huge number is never cast to double or text.',
  body: `
declare
  shortest numeric;
begin
  if scale(n) > ${MAX_DECIMALS} or abs(n) > 1.7976931348623157e308 or n <> 0 and abs(n) < 4.9e-324 then return false; end if;
  shortest := n::double precision::text::numeric;
  -- JavaScript and the database write a double differently where a shorter decimal lies exactly between two doubles
  -- (1e23): then the shorter one is right.
  return shortest = n or ${significantDigits('n')} < ${significantDigits('shortest')};
end`,
  grantees: CHECKERS,
});

const numbersExact = functionSql({
  name: 'numbers_exact',
  parameters: 'numbers jsonb',
  signature: 'jsonb',
  returns: 'boolean',
  traits: PURE,
  comment: 'Are all numbers of this list exact (number_exact)?',
  body: `
declare
  entry jsonb;
begin
  for entry in select jsonb_array_elements(numbers) loop
    if not ledger_internal.number_exact(entry::numeric) then return false; end if;
  end loop;
  return true;
end`,
  grantees: CHECKERS,
});

const unstorable = functionSql({
  name: 'unstorable',
  parameters: 'doc jsonb',
  signature: 'jsonb',
  returns: 'jsonb',
  traits: PURE,
  comment:
    'The violations of a document that could not be stored and read back as sent: too large, too deep, numbers no double gives back.',
  body: `
declare
  found_violations jsonb;
begin
  if pg_column_size(doc) > ${DOCUMENT_MAX_BYTES} then
    return ledger_internal.violation('', ${literal(TOO_LARGE.rule)}, ${literal(TOO_LARGE.message)});
  end if;
  with recursive node(path, value, level) as (
    select '', doc, 1
    union all
    select node.path || child.segment, child.value, node.level + 1
    from node
    cross join lateral (
      select ledger_internal.pointer_segment(member.key) as segment, member.value
      from jsonb_each(case when jsonb_typeof(node.value) = 'object' then node.value else '{}' end) as member
      union all
      select '/' || (entry.position - 1), entry.value
      from jsonb_array_elements(case when jsonb_typeof(node.value) = 'array' then node.value else '[]' end)
        with ordinality as entry(value, position)
    ) as child
    where node.level <= ${MAX_NESTING}
  ), bad as (
    select path, ${literal(TOO_DEEP.rule)} as rule, ${literal(TOO_DEEP.message)} as message
    from node where level > ${MAX_NESTING} and jsonb_typeof(value) in ('object', 'array')
    union all
    select path, ${literal(INEXACT_NUMBER.rule)}, ${literal(INEXACT_NUMBER.message)}
    from node where case when jsonb_typeof(value) = 'number' then not ledger_internal.number_exact(value::numeric) else false end
    limit ${MAX_VIOLATIONS}
  )
  select coalesce(jsonb_agg(jsonb_build_object('path', path, 'rule', rule, 'message', message)), '[]') into found_violations from bad;
  return found_violations;
end`,
  grantees: CHECKERS,
});

export function storableFunctions(): string[] {
  return [numberExact, numbersExact, unstorable];
}
