import { type Command, Option } from 'commander';
import type { HitlRequestRecord, HitlResolutionRecord } from '../../client/documents.ts';
import type { Page } from '../../client/pages.ts';
import { usage } from '../failure.ts';
import { getJson, postJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderHitlRequest, renderHitlRequests } from '../render/hitl.ts';
import { renderFields } from '../render/table.ts';
import type { Session } from '../session.ts';

const STATES = ['open', 'approved', 'rejected', 'expired', 'closed', 'all'] as const;
const PAGE = 1000;

export function registerHitl(program: Command, session: Session): void {
  const hitl = program.command('hitl').description('requests to humans: what waits, and their answers');
  registerList(hitl, session);
  registerShow(hitl, session);
  registerAnswer(hitl, session, 'approve', 'approved', 'let what a request asks about go on');
  registerAnswer(
    hitl,
    session,
    'reject',
    'rejected',
    'say no; its subject can then neither succeed nor partly succeed',
  );
}

function registerList(hitl: Command, session: Session): void {
  withLedger(hitl.command('list'))
    .description('requests, oldest first, with their age and expiry')
    .addOption(new Option('--state <state>', 'which of them').choices([...STATES]).default('open'))
    .action(async (options: LedgerOptions & { state: string }) => {
      const ledger = await openLedger(options);
      const state = options.state === 'all' ? '' : `&state=${options.state}`;
      const items: HitlRequestRecord[] = [];
      for (let cursor: string | null = ''; cursor !== null; ) {
        const after: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`;
        const page: Page<HitlRequestRecord> = await getJson(
          ledger,
          `/policy/hitl?order=asc&limit=${PAGE}${state}${after}`,
        );
        items.push(...page.items);
        cursor = page.next_cursor;
      }
      const { terminal } = session;
      print(terminal, options.json, { items }, () => renderHitlRequests(items, options.state, terminal.colour));
    });
}

function registerShow(hitl: Command, session: Session): void {
  withLedger(hitl.command('show'))
    .description('one request, with its answer')
    .argument('<id>', 'the request')
    .action(async (id: string, options: LedgerOptions) => {
      const request = await getJson<HitlRequestRecord>(
        await openLedger(options),
        `/policy/hitl/${encodeURIComponent(id)}`,
      );
      print(session.terminal, options.json, request, () => renderHitlRequest(request, session.terminal.colour));
    });
}

function registerAnswer(
  hitl: Command,
  session: Session,
  name: string,
  resolution: 'approved' | 'rejected',
  description: string,
): void {
  withLedger(hitl.command(name))
    .description(description)
    .argument('<id>', 'the request')
    .requiredOption('--reason <text>', 'why, for the record')
    .option('--as <actor>', 'who answers, on the local stack (elsewhere the token says it)', 'local-operator')
    .action(async (id: string, options: LedgerOptions & { reason: string; as: string }) => {
      if (options.reason.trim() === '') throw usage('--reason says why; it may not be blank');
      const ledger = await openLedger(options, { role: 'operator', actorId: options.as });
      const path = `/policy/hitl/${encodeURIComponent(id)}/resolution`;
      const answer = await postJson<HitlResolutionRecord>(ledger, path, { resolution, reason: options.reason });
      print(session.terminal, options.json, answer, () =>
        renderFields(
          [
            ['resolution', answer.resolution],
            ['by', answer.resolved_by],
            ['at', answer.resolved_at],
            ['gateway outcome', answer.gateway_outcome_id],
          ],
          session.terminal.colour,
        ),
      );
    });
}
