import { TIME_PATTERN } from '../src/contract/scalars/index.ts';
import { CHECKERS, functionSql, literal, PURE } from './sql-text.ts';

/** The order of instants, and that a list repeats nothing. */
export function helperFunctions(): string[] {
  return [
    functionSql({
      name: 'time_order_key',
      parameters: 't text',
      signature: 'text',
      returns: 'text',
      traits: `${PURE} strict`,
      comment:
        'Of a valid time: no zone, always nine decimals. The text order (collate "C") of such keys is the order of the instants.',
      body: `
begin
  return substr(t, 1, 19) || rpad(coalesce(nullif(substr(split_part(translate(t, 'Z', '+'), '+', 1), 20), ''), '.'), 10, '0');
end`,
      grantees: CHECKERS,
    }),
    functionSql({
      name: 'time_ok',
      parameters: 't text',
      signature: 'text',
      returns: 'boolean',
      traits: PURE,
      comment: 'Is this a time of the contract (RFC 3339 in UTC, a real date, at most nine decimals)?',
      body: `
begin
  return coalesce(t ~ ${literal(TIME_PATTERN)}, false);
end`,
      grantees: CHECKERS,
    }),
    functionSql({
      name: 'time_at_most',
      parameters: 'early text, late text',
      signature: 'text, text',
      returns: 'boolean',
      traits: `${PURE} strict`,
      comment:
        'Is the first time at most the second, at full precision? True when one is no valid time: that is another complaint.',
      body: `
begin
  if early !~ ${literal(TIME_PATTERN)} or late !~ ${literal(TIME_PATTERN)} then return true; end if;
  return ledger_internal.time_order_key(early) collate "C" <= ledger_internal.time_order_key(late);
end`,
      grantees: CHECKERS,
    }),
    functionSql({
      name: 'all_different',
      parameters: 'list jsonb',
      signature: 'jsonb',
      returns: 'boolean',
      traits: PURE,
      comment: 'Does no string stand twice in the list? True for anything that is no list.',
      body: `
begin
  if jsonb_typeof(list) is distinct from 'array' then return true; end if;
  return not exists (
    select from jsonb_array_elements(list) as entry where jsonb_typeof(entry) = 'string' group by entry having count(*) > 1
  );
end`,
      grantees: CHECKERS,
    }),
    functionSql({
      name: 'violation',
      parameters: 'path text, rule text, message text',
      signature: 'text, text, text',
      returns: 'jsonb',
      traits: PURE,
      comment: 'One entry of a list of violations.',
      body: `
begin
  return jsonb_build_array(jsonb_build_object('path', path, 'rule', rule, 'message', message));
end`,
      grantees: CHECKERS,
    }),
    functionSql({
      name: 'pointer_segment',
      parameters: 'name text',
      signature: 'text',
      returns: 'text',
      traits: `${PURE} strict`,
      comment: 'A member name as a JSON Pointer segment, with its slash (RFC 6901).',
      body: `
begin
  return '/' || replace(replace(name, '~', '~0'), '/', '~1');
end`,
      grantees: CHECKERS,
    }),
  ];
}
