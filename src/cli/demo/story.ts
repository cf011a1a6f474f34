/** The edition-allocation workflow of the envelope's specification, with its figures. */
export const WORKFLOW = { id: 'WF-ART-003-EDITION-ALLOCATION', version: '1.1.0', domain: 'art' };
export const GUARD = { id: 'os-agt-002', version: '1.0.0', domain: 'synedrix-os' };
export const ALLOCATOR = { id: 'art-agt-003', version: '1.0.0', domain: 'art' };
/** Nobody defined this one, and what it says caused it was never recorded: two gaps for the auditor to find. */
export const STRAY = { id: 'art-agt-009', version: '0.1.0', domain: 'art' };

export const PATTERN = 'fan-out-fan-in';
export const RISK_SCORE = 0.08;
export const REPORT_ID = 'rep-001';

/** Sells what was allocated, under a policy of its own: nothing sealed, and a human looks at large sales. */
export const SELLER = { id: 'art-agt-007', version: '1.0.0', domain: 'art' };
export const GATEWAY = 'os-agt-004';
export const POLICIES = `
@id("sales")
permit (principal is Agent, action == Action::"sell", resource);

@id("sealed")
forbid (principal, action, resource)
when { context.sealed };

@id("large-sale")
@decision("escalate")
@risk_score("0.7")
forbid (principal, action, resource)
when { context.editions > 40 };
`;

export interface Batch {
  step: string;
  editions: number;
  /** Another sale holds the inventory of these editions. */
  locked: boolean;
}

/** Ten batches of the fifty editions: five of nine that can be allocated, five single ones that are locked. */
export const BATCHES: readonly Batch[] = Array.from({ length: 10 }, (_, n) => ({
  step: `allocate-${String(n + 1).padStart(2, '0')}`,
  editions: n < 5 ? 9 : 1,
  locked: n >= 5,
}));

export const PARTIAL_ERROR = {
  code: 'PARTIAL_ALLOCATION_FAILURE',
  message: '5 editions could not be allocated due to inventory lock',
  field: 'edition_ids[45:50]',
  source_agent_id: ALLOCATOR.id,
  recoverable: true,
  retry_after_ms: 5000,
};
