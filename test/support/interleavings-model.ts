// What two sessions may do about one subject, step beside step, and how each must be answered. A model written from the
// design (sections 5 to 7): locks first, then one look; the sweep alone never waits. Nothing here asks the product.

export const STEPS = ['start', 'decide', 'finish', 'sweep', 'cancel', 'resolve'] as const;
export type Step = (typeof STEPS)[number];

/**
 * Where a subject stands before the first step: not started; started and past its deadline; besides, decided `allow` with a
 * human asked; besides, approved.
 */
export const SCENES = ['nothing', 'open', 'asked', 'approved'] as const;
export type Scene = (typeof SCENES)[number];

export interface State {
  started: boolean;
  decided: boolean;
  request: 'none' | 'open' | 'approved';
  ended: 'finished' | 'swept' | 'canceled' | null;
  /** Envelopes kept beside the outcome. */
  late: number;
}

export const stateOf = (scene: Scene): State => ({
  started: scene !== 'nothing',
  decided: scene === 'asked' || scene === 'approved',
  request: scene === 'asked' ? 'open' : scene === 'approved' ? 'approved' : 'none',
  ended: null,
  late: 0,
});

/** A step's answer, and where the subject stands then; `held` says that it took the subject's lock. */
export interface Taken {
  word: string;
  state: State;
  held: boolean;
}

/** Answers that come as a refusal: the transaction is undone, its locks are gone. */
const REFUSALS = ['unknown', 'closed', 'unknown_request', 'policy_mismatch', 'hitl_required'];
export const isRefused = (word: string): boolean => REFUSALS.includes(word);

/** A step by itself. `knows` says whether its session has seen the decision, whose id and content it then repeats. */
export function take(step: Step, state: State, knows: boolean): Taken {
  const say = (word: string, change: Partial<State> = {}, held = true): Taken => ({
    word,
    state: isRefused(word) ? state : { ...state, ...change },
    held: held && !isRefused(word),
  });
  switch (step) {
    case 'start':
      return state.started ? say('replayed') : say('recorded', { started: true });
    case 'decide':
      if (!state.started) return say('unknown');
      if (state.decided) return say('replayed');
      return state.ended ? say('closed') : say('recorded', { decided: true, request: 'open' });
    case 'finish':
      if (!state.started) return say('unknown');
      if (state.ended) return state.ended === 'finished' ? say('replayed') : say('conflict', { late: 1 });
      if (state.decided && !knows) return say('policy_mismatch');
      if (state.decided && state.request !== 'approved') return say('hitl_required');
      return say('recorded', { ended: 'finished' });
    case 'sweep': {
      const due = state.started && !state.ended && state.request !== 'open';
      return due ? say('swept', { ended: 'swept' }) : say('nothing', {}, false);
    }
    case 'cancel':
      if (!state.started) return say('unknown');
      if (state.ended) return say(state.ended === 'canceled' ? 'replayed' : 'conflict');
      return say('recorded', { ended: 'canceled' });
    case 'resolve':
      if (!knows) return say('unknown_request');
      if (state.request === 'approved') return say('replayed');
      return state.ended ? say('closed') : say('recorded', { request: 'approved' });
  }
}

export interface Beside {
  /** What the first session was answered, step by step; it stops at a refusal. */
  first: string[];
  waits: boolean;
  second: string;
  /** The step after both, by the first session. */
  third: string | null;
  state: State;
}

/** One interleaving: `first` in an open transaction, `second` beside it, the first ends so, the second commits, then `third`. */
export function expectedBeside(
  scene: Scene,
  first: readonly Step[],
  second: Step,
  ending: 'commit' | 'rollback',
  third?: Step,
): Beside {
  const before = stateOf(scene);
  let inside = before;
  let held = false;
  const words: string[] = [];
  for (const step of first) {
    const taken = take(step, inside, inside.decided);
    words.push(taken.word);
    if (isRefused(taken.word)) {
      inside = before;
      held = false;
      break;
    }
    inside = taken.state;
    held ||= taken.held;
  }
  const after = ending === 'commit' ? inside : before;
  // Some look for what they speak of before they take its lock: what is not there yet is unknown to them, without waiting.
  const seesNothing = (step: Step): boolean =>
    step === 'resolve' ? !before.decided : ['finish', 'cancel'].includes(step) && !before.started;
  const waits = held && second !== 'sweep' && !seesNothing(second);
  let taken: Taken;
  if (held && second === 'sweep') taken = { word: 'nothing', state: after, held: false };
  else if (seesNothing(second)) taken = { ...take(second, before, before.decided), state: after };
  else taken = take(second, after, before.decided);
  const last = third && take(third, taken.state, taken.state.decided);
  return {
    first: words,
    waits,
    second: taken.word,
    third: last?.word ?? null,
    state: last?.state ?? taken.state,
  };
}
