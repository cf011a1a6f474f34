import { breakdown } from './breakdown.ts';
import { conclude } from './conclude.ts';
import { decided } from './decided.ts';
import { http } from './http.ts';
import { judgments } from './judgments.ts';
import { mirrorEvidence } from './mirror-evidence.ts';
import { mirrorLag } from './mirror-lag.ts';
import { mirrorRebuild } from './mirror-rebuild.ts';
import { mirrorWrite } from './mirror-write.ts';
import { peers } from './peers.ts';
import { phase } from './phase.ts';
import { policy } from './policy.ts';
import { record } from './record.ts';
import { sweep } from './sweep.ts';
import { why } from './why.ts';

/** Every benchmark by its name; each answers its table as markdown. */
export const BENCHMARKS: Readonly<Record<string, () => Promise<string>>> = {
  record,
  breakdown,
  http,
  peers,
  why,
  policy,
  decided,
  sweep,
  phase,
  conclude,
  judgments,
  'mirror-write': mirrorWrite,
  'mirror-lag': mirrorLag,
  'mirror-rebuild': mirrorRebuild,
  'mirror-evidence': mirrorEvidence,
};
