/** A JSON Pointer (RFC 6901) from the document's root to a member; never into an array. */
export type Pointer = string;

/**
 * A condition on a document as data: `conditionHolds` reads it in TypeScript, `generate/rules-sql.ts` compiles it.
 * Absent means missing or null. A comparison holds vacuously where a member is absent or of the wrong type, because the
 * shape of the document has its own complaint about that.
 */
export type Condition =
  | { readonly absent: Pointer }
  | { readonly present: Pointer }
  | { readonly is: readonly [Pointer, string] }
  | { readonly isNot: readonly [Pointer, string] }
  | { readonly isIn: readonly [Pointer, readonly string[]] }
  /** The list is absent or empty. */
  | { readonly emptyList: Pointer }
  /** The list has at least one entry. */
  | { readonly someEntry: Pointer }
  /** When the list has entries, one of them has this member with this value. */
  | { readonly entryWith: readonly [Pointer, string, string] }
  | { readonly numberAtMost: readonly [Pointer, Pointer] }
  /** Instants compared at full precision. */
  | { readonly timeAtMost: readonly [Pointer, Pointer] }
  | { readonly allDifferent: Pointer }
  | { readonly textDiffers: readonly [Pointer, Pointer] }
  | { readonly onePresent: readonly Pointer[] }
  | { readonly atMostOnePresent: readonly Pointer[] }
  /** The part takes at most this many bytes when stored as jsonb; the empty pointer is the whole document. */
  | { readonly storedWithin: readonly [Pointer, number] };

/** When every `when` holds, `need` must hold; otherwise a violation with this path, rule word and message. */
export interface Rule {
  readonly rule: string;
  readonly path: Pointer;
  readonly when?: readonly Condition[];
  readonly need: Condition;
  readonly message: string;
}
