import { CHECKERS, functionSql, PURE } from './sql-text.ts';

/** One expression, returned. */
export function expression(
  name: string,
  parameters: string,
  signature: string,
  returns: string,
  comment: string,
  body: string,
): string {
  return functionSql({
    name,
    parameters,
    signature,
    returns,
    traits: PURE,
    comment,
    body: `begin\n  return ${body};\nend`,
    grantees: CHECKERS,
  });
}
