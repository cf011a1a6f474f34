import { scalarKinds, time, timeOrderKey } from '../scalars/index.ts';
import { isPlainObject, kindHolds } from '../scalars/kind.ts';
import { storedSize } from '../stored-size.ts';
import type { Condition, Pointer, Rule } from './rule.ts';

/** The member a pointer names; undefined when absent. Null is absent too. */
export function at(document: unknown, path: Pointer): unknown {
  let value = document;
  for (const segment of path.split('/').slice(1)) {
    if (!isPlainObject(value) || !Object.hasOwn(value, segment)) return undefined;
    value = value[segment];
  }
  return value ?? undefined;
}

const timeKind = scalarKinds.get(time);

function isTime(value: unknown): value is string {
  return timeKind !== undefined && kindHolds(timeKind, value);
}

function allDifferent(list: unknown): boolean {
  if (!Array.isArray(list)) return true;
  const texts = list.filter((entry) => typeof entry === 'string');
  return new Set(texts).size === texts.length;
}

function entryWith(list: unknown, member: string, value: string): boolean {
  if (!Array.isArray(list) || list.length === 0) return true;
  return list.some((entry) => isPlainObject(entry) && Object.hasOwn(entry, member) && entry[member] === value);
}

export function conditionHolds(condition: Condition, document: unknown): boolean {
  const get = (path: Pointer) => at(document, path);
  const presentAmong = (paths: readonly Pointer[]) => paths.filter((path) => get(path) !== undefined).length;
  if ('absent' in condition) return get(condition.absent) === undefined;
  if ('present' in condition) return get(condition.present) !== undefined;
  if ('is' in condition) return get(condition.is[0]) === condition.is[1];
  if ('isNot' in condition) return get(condition.isNot[0]) !== condition.isNot[1];
  if ('isIn' in condition) return condition.isIn[1].includes(get(condition.isIn[0]) as string);
  if ('emptyList' in condition) {
    const list = get(condition.emptyList);
    return !Array.isArray(list) || list.length === 0;
  }
  if ('someEntry' in condition) {
    const list = get(condition.someEntry);
    return Array.isArray(list) ? list.length > 0 : list !== undefined;
  }
  if ('entryWith' in condition) {
    const [path, member, value] = condition.entryWith;
    return entryWith(get(path), member, value);
  }
  if ('numberAtMost' in condition) {
    const [low, high] = condition.numberAtMost.map(get);
    return typeof low !== 'number' || typeof high !== 'number' || low <= high;
  }
  if ('timeAtMost' in condition) {
    const [early, late] = condition.timeAtMost.map(get);
    return !isTime(early) || !isTime(late) || timeOrderKey(early) <= timeOrderKey(late);
  }
  if ('allDifferent' in condition) return allDifferent(get(condition.allDifferent));
  if ('textDiffers' in condition) {
    const [one, other] = condition.textDiffers.map(get);
    return typeof one !== 'string' || one !== other;
  }
  if ('onePresent' in condition) return presentAmong(condition.onePresent) === 1;
  if ('atMostOnePresent' in condition) return presentAmong(condition.atMostOnePresent) <= 1;
  const part = get(condition.storedWithin[0]);
  return part === undefined || storedSize(part) <= condition.storedWithin[1];
}

export function ruleHolds(rule: Rule, document: unknown): boolean {
  return (
    (rule.when ?? []).some((condition) => !conditionHolds(condition, document)) || conditionHolds(rule.need, document)
  );
}
