import type { Interval, JudgmentCount } from '../../client/judgment-documents.ts';
import type { Colour } from './colour.ts';
import { renderTable } from './table.ts';

const BAR = 20;

const percent = (share: number | null): string => (share === null ? '–' : `${(share * 100).toFixed(1)} %`);
const between = (interval: Interval): string =>
  interval === null ? '' : `${(interval.low * 100).toFixed(0)}–${(interval.high * 100).toFixed(0)}`;

/** `──━━●━━──`: the interval, and the score in it, from 0 to 100 %. */
export function bar(score: number | null, interval: Interval): string {
  if (score === null || interval === null) return '·'.repeat(BAR);
  const at = (share: number) => Math.min(BAR - 1, Math.floor(share * BAR));
  const cell = (place: number) =>
    place === at(score) ? '●' : place >= at(interval.low) && place <= at(interval.high) ? '━' : '─';
  return Array.from({ length: BAR }, (_, place) => cell(place)).join('');
}

/** What outcomes are judged to be, a line for each version of an agent or workflow, and beside it what they claim. */
export function renderStats(items: readonly JudgmentCount[], colour: Colour): string {
  if (items.length === 0) return 'no outcomes';
  const table = renderTable(
    items,
    [
      { title: 'source', value: ({ source }) => `${source.type} ${source.id}@${source.version} (${source.domain})` },
      { title: 'outcomes', value: ({ outcomes }) => outcomes, align: 'right' },
      { title: 'success', value: ({ success_rate }) => percent(success_rate), align: 'right' },
      { title: '95 %', value: ({ success_interval }) => between(success_interval) },
      { title: 'agent score', value: ({ agent_score }) => percent(agent_score), align: 'right' },
      { title: '95 %', value: ({ agent_score_interval }) => between(agent_score_interval) },
      { title: '0 … 100', value: ({ agent_score, agent_score_interval }) => bar(agent_score, agent_score_interval) },
      { title: 'claimed', value: ({ claims }) => claims.success, align: 'right' },
      {
        title: 'contradicted',
        value: ({ claims }) => claims.contradicted,
        align: 'right',
        paint: (text, { claims }) => (claims.contradicted > 0 ? colour.bad(text) : text),
      },
      { title: 'unverified', value: ({ judgments }) => judgments.unverified, align: 'right' },
      { title: 'partial', value: ({ shares }) => percent(shares.partial), align: 'right' },
      { title: 'blocked', value: ({ shares }) => percent(shares.blocked), align: 'right' },
      { title: 'skipped', value: ({ shares }) => percent(shares.skipped), align: 'right' },
      { title: 'escalated', value: ({ shares }) => percent(shares.escalated), align: 'right' },
    ],
    colour,
  );
  return `${table}\n${colour.dim('success: of what is judged · agent score: of what says something about it · contradicted: said success, and verification says no')}`;
}
