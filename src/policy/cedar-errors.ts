import type { DetailedError } from '@cedar-policy/cedar-wasm/nodejs';
import { type Finding, type FindingRule, finding, type SetMember } from './finding.ts';
import type { Place, Places } from './place.ts';

const PREFIX = /^(failed to parse (policies|policy|schema) from (string|JSON): )?(error parsing schema: )?/;
const ABOUT_POLICY = /\bfor policy `policy[0-9]+`, /;

/** An error of Cedar and those it brings along, as findings. `places`: of the text that the offsets are about, if any. */
export function findingsOf(
  error: DetailedError,
  path: SetMember,
  rule: FindingRule,
  places: Places | undefined,
  about = '',
): Finding[] {
  const [first, ...others] = error.sourceLocations ?? [];
  const label = first?.label ? `; ${first.label}` : '';
  const also = others.map(({ start }) => alsoAt(places?.atByte(start))).join('');
  const message = `${about}${plain(error.message)}${label}${also}`;
  const place = first && places?.atByte(first.start);
  const own = finding(path, rule, message, place, error.help ? plain(error.help) : undefined);
  return [own, ...(error.related ?? []).flatMap((related) => findingsOf(related, path, rule, places, about))];
}

function alsoAt(place: Place | undefined): string {
  return place ? `; see line ${place.line}, column ${place.column} too` : '';
}

/** Cedar numbers policies by their place; our ids say more, and come with the finding. */
function plain(message: string): string {
  return message.replace(PREFIX, '').replace(ABOUT_POLICY, '');
}
