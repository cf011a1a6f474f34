import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import { isPlainObject } from '../contract/scalars/kind.ts';
import { numberOfDecimal } from './numbers.ts';

const CONSTRUCTORS = ['decimal', 'ip', 'datetime', 'duration'];
const NAME = /^[A-Za-z_][A-Za-z0-9_]*(::[A-Za-z_][A-Za-z0-9_]*)*$/;
const RESERVED = /(^|::)(true|false|if|then|else|in|is|like|has|__cedar)(::|$)/;
const TYPE_NAME_MAX = 200;

/** Is this the name of an entity type, such as `Doc` or `Art::Edition`? */
export function isTypeName(name: unknown): name is string {
  return typeof name === 'string' && name.length <= TYPE_NAME_MAX && NAME.test(name) && !RESERVED.test(name);
}

/** Does the object say by a member's name that it is no record? */
export function isEscape(value: Record<string, unknown>): boolean {
  return Object.hasOwn(value, '__entity') || Object.hasOwn(value, '__extn') || Object.hasOwn(value, '__expr');
}

/** An entity reference or an extension value that is written out, with its texts, or what is wrong with it. */
export function readEscape(
  value: Record<string, unknown>,
): { ok: true; value: CedarValueJson; texts: string[] } | { ok: false; message: string } {
  const names = Object.keys(value).filter((name) => value[name] !== undefined);
  if (names.length === 1 && isPlainObject(value['__entity'])) {
    const { type, id, ...rest } = value['__entity'];
    if (isTypeName(type) && typeof id === 'string' && Object.keys(rest).length === 0) {
      return { ok: true, value: { __entity: { type, id } }, texts: [type, id] };
    }
  }
  if (names.length === 1 && isPlainObject(value['__extn'])) {
    const { fn, arg, ...rest } = value['__extn'];
    const known = typeof fn === 'string' && CONSTRUCTORS.includes(fn);
    if (known && typeof arg === 'string' && Object.keys(rest).length === 0) {
      if (fn !== 'decimal' || numberOfDecimal(arg) !== undefined) {
        return { ok: true, value: { __extn: { fn, arg } }, texts: [fn, arg] };
      }
      return { ok: false, message: 'must be a decimal with 1 to 4 digits after the point, such as "12.50"' };
    }
  }
  return {
    ok: false,
    message:
      'must be nothing but {"__entity": {"type", "id"}} with the name of an entity type, or {"__extn": {"fn", "arg"}} ' +
      `with one of ${CONSTRUCTORS.join(', ')} and a text; other members may not begin like this`,
  };
}

/** The number that a decimal stands for which is written out; undefined of anything else. */
export function writtenDecimal(value: unknown): number | undefined {
  const extension = isPlainObject(value) ? value['__extn'] : undefined;
  if (!isPlainObject(extension) || extension['fn'] !== 'decimal' || typeof extension['arg'] !== 'string')
    return undefined;
  return numberOfDecimal(extension['arg']);
}
