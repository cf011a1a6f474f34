import type { Clause, Expr } from '@cedar-policy/cedar-wasm/nodejs';
import { isPlainObject } from '../contract/scalars/kind.ts';

type Constant = boolean | number | string;
type Pair = { left: Expr; right: Expr };

/** Whether a policy's conditions can hold at all, as far as constants tell. */
export function canApply(conditions: readonly Clause[]): boolean {
  return conditions.every(({ kind, body }) => (kind === 'when' ? canHold(body) : constantOf(body) !== true));
}

function canHold(expr: Expr): boolean {
  const constant = constantOf(expr);
  if (constant !== undefined) return constant === true;
  const node = expr as Record<string, unknown>;
  if ('&&' in node) return both(node['&&']).every(canHold);
  if ('||' in node) return both(node['||']).some(canHold);
  if ('if-then-else' in node) {
    const { if: test, then, else: otherwise } = node['if-then-else'] as { if: Expr; then: Expr; else: Expr };
    const decided = constantOf(test);
    if (typeof decided === 'boolean') return canHold(decided ? then : otherwise);
    return canHold(then) || canHold(otherwise);
  }
  return true;
}

const both = (pair: unknown): Expr[] => [(pair as Pair).left, (pair as Pair).right];

/** The value of an expression that no request changes; undefined of any other, and where it is not worth knowing. */
function constantOf(expr: Expr): Constant | undefined {
  const [entry] = Object.entries(expr) as [string, unknown][];
  const [operator, operand] = entry ?? [];
  if (operator === undefined || !isPlainObject(operand)) return operator === 'Value' ? scalar(operand) : undefined;
  if (operator === '!' || operator === 'neg') {
    const value = constantOf(operand['arg'] as Expr);
    if (operator === '!') return typeof value === 'boolean' ? !value : undefined;
    return typeof value === 'number' ? -value : undefined;
  }
  if ('left' in operand && 'right' in operand) return constantOfPair(operator, operand as Pair);
  return undefined;
}

function constantOfPair(operator: string, { left, right }: Pair): Constant | undefined {
  const one = constantOf(left);
  if (one === undefined) return undefined;
  if (operator === '&&') return one === true ? constantOf(right) : one === false ? false : undefined;
  if (operator === '||') return one === false ? constantOf(right) : one === true ? true : undefined;
  const other = constantOf(right);
  if (other === undefined) return undefined;
  if (operator === '==') return one === other;
  if (operator === '!=') return one !== other;
  if (typeof one !== 'number' || typeof other !== 'number') return undefined;
  const comparisons: Record<string, boolean> = {
    '<': one < other,
    '<=': one <= other,
    '>': one > other,
    '>=': one >= other,
  };
  return comparisons[operator];
}

/** A whole number beyond what a double holds is nothing to compare with. */
function scalar(value: unknown): Constant | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value : undefined;
  return typeof value === 'boolean' || typeof value === 'string' ? value : undefined;
}
