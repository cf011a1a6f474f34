/** How the database refused: `code` is the ledger's own word, or `not_permitted` where a right was missing. */
export interface Refused {
  code: string;
  /** SQLSTATE: PTnnn of a ledger refusal, 42501 of a missing right. */
  state: string;
  detail: string;
  hint: string;
  paths: string[];
  // biome-ignore lint/suspicious/noExplicitAny: what a refusal says besides differs by code
  extra: any;
}

interface Raised {
  code?: string;
  message?: string;
  detail?: string;
  hint?: string;
}

/** The refusal `work` ended in; fails when it went through, or broke in a way that is no refusal. */
export async function refusalOf(work: Promise<unknown>): Promise<Refused> {
  let value: unknown;
  try {
    value = await work;
  } catch (error) {
    return readRefusal(error);
  }
  throw new Error(`was not refused: ${JSON.stringify(value)}`);
}

export function readRefusal(error: unknown): Refused {
  const { code: state = '', message = '', detail = '', hint = '' } = error as Raised;
  if (state === '42501') return { code: 'not_permitted', state, detail: message, hint, paths: [], extra: {} };
  if (!/^PT\d{3}$/.test(state)) throw error;
  const said = JSON.parse(detail) as { detail: string; violations: { path: string }[]; extra: unknown };
  return {
    code: message,
    state,
    detail: said.detail,
    hint,
    paths: said.violations.map((v) => v.path),
    extra: said.extra,
  };
}

/** The code of the refusal alone. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return (await refusalOf(work)).code;
}
