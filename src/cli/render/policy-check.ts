import type { CheckedPolicySet, Finding } from '../../policy/index.ts';
import { clean } from './clean.ts';
import type { Colour } from './colour.ts';

/** One line a finding, as compilers write them: `file:line:column`, what is wrong, and what to do. */
export function renderPolicyCheck(checked: CheckedPolicySet, file: string, colour: Colour): string {
  const line = (finding: Finding, paint: (text: string) => string) => {
    const member = finding.path === '/schema' ? 'schema' : file;
    const place = finding.line === undefined ? member : `${member}:${finding.line}:${finding.column}`;
    return `${colour.bold(clean(place))}  ${paint(finding.rule)}  ${clean(finding.message)}\n  ${colour.note('→')} ${clean(finding.remedy)}`;
  };
  if (!checked.ok) return checked.violations.map((finding) => line(finding, colour.bad)).join('\n');
  const count = checked.policy_ids.length;
  return [
    ...checked.warnings.map((finding) => line(finding, colour.warn)),
    `${colour.good('valid')}  ${count === 1 ? 'one policy' : `${count} policies`}: ${checked.policy_ids.map(clean).join(', ')}`,
    colour.dim(`hash ${checked.hash}`),
  ].join('\n');
}
