// status × governance class × decision × requires_hitl × a human's answer: the whole product, and what the specification
// says of each cell. Written from the envelope's specification, sections 5 and 7 of the design and the table in docs/policy.md;
// nothing here asks the product.
import { type OutcomeStatus, STATUSES } from '../../src/contract/statuses.ts';

export const KINDS = ['invocation', 'execution'] as const;
export type Kind = (typeof KINDS)[number];
export const CLASSES = ['autonomous', 'supervised', 'restricted'] as const;
const DECISIONS = ['allow', 'block', 'escalate'] as const;
/** What became of the request to a human: nobody answered, or nobody was asked; an answer; nobody in time. */
export const RESOLUTIONS = ['none', 'approved', 'rejected', 'expired'] as const;

export interface Decided {
  decision: (typeof DECISIONS)[number];
  requires_hitl: boolean;
}
export const DECIDED: readonly (Decided | null)[] = [
  null,
  ...DECISIONS.flatMap((decision) => [false, true].map((requires_hitl) => ({ decision, requires_hitl }))),
];

export interface Cell {
  kind: Kind;
  status: OutcomeStatus;
  governance: (typeof CLASSES)[number];
  decided: Decided | null;
  resolution: (typeof RESOLUTIONS)[number];
}

export const CELLS: readonly Cell[] = KINDS.flatMap((kind) =>
  STATUSES.flatMap((status) =>
    CLASSES.flatMap((governance) =>
      DECIDED.flatMap((decided) =>
        RESOLUTIONS.map((resolution) => ({ kind, status, governance, decided, resolution })),
      ),
    ),
  ),
);

/** A decision that opens a request to a human by itself. */
export const asksHuman = (decided: Decided | null): boolean =>
  decided !== null && ((decided.requires_hitl && decided.decision !== 'block') || decided.decision === 'escalate');

/** `recorded`, or the code of the refusal, of an envelope that repeats the recorded decision. */
export function verdictOf({ status, governance, decided, resolution }: Cell): string {
  // The status table: `blocked` needs the policy that blocked, and no other status but `timeout` goes with it.
  if (status === 'blocked') return decided?.decision === 'block' ? 'recorded' : 'envelope_invalid';
  if (decided?.decision === 'block') return status === 'timeout' ? 'policy_mismatch' : 'envelope_invalid';
  if (status !== 'success' && status !== 'partial') return 'recorded';
  // A result: approved where the decision asks for a human, and allowed where the class is not autonomous.
  if (asksHuman(decided) && resolution !== 'approved')
    return resolution === 'rejected' ? 'hitl_rejected' : 'hitl_required';
  if (governance !== 'autonomous' && decided?.decision !== 'allow') return 'policy_required';
  // A no is final, whoever asked and whatever for.
  return resolution === 'rejected' ? 'hitl_rejected' : 'recorded';
}

export const nameOf = ({ kind, status, governance, decided, resolution }: Cell): string => {
  const decision = decided ? `${decided.decision}${decided.requires_hitl ? ' and a human' : ''}` : 'no decision';
  return `${kind}: ${status}, ${governance}, ${decision}, answer ${resolution}`;
};

/** Every cell's verdict by its name. */
export const expectedVerdicts = (cells: readonly Cell[] = CELLS): Record<string, string> =>
  Object.fromEntries(cells.map((cell) => [nameOf(cell), verdictOf(cell)]));

/** How often each verdict stands in the product: 7 × 3 × 7 × 4 × 2 cells. */
export const countedVerdicts = (verdicts: Record<string, string>): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const verdict of Object.values(verdicts)) counts[verdict] = (counts[verdict] ?? 0) + 1;
  return counts;
};
