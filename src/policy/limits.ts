/** What a policy set and a request may hold. Sizes in bytes of UTF-8. */

/** Of the policies' text, and of the schema's. */
export const POLICY_TEXT_MAX_BYTES = 256 * 1024;
export const MAX_POLICIES = 1_000;
/** Declarations of a schema: entity types, actions, common types. */
export const MAX_DECLARATIONS = 1_000;

/**
 * Levels of brackets in one policy, or in a schema; chains (`&&`, `||`, members, sums, conditions, `if`s) count too, one
 * and a half steps as a level. Cedar reads by recursion, and its stack ends at 65 to 100 levels; a stack that ended
 * leaves the engine unusable, so texts stop at half of that.
 */
export const MAX_TEXT_LEVELS = 32;

/** Levels of a hierarchy of entity types or actions: Cedar's closure over a long chain takes minutes. */
export const MAX_HIERARCHY = 16;

/** Members of a schema's types once each common type stands where it is named; Cedar takes about 0.6 µs each. */
export const MAX_EXPANSION = 100_000;

/** Characters of all patterns (`like`) times those of the longest text of a request; a hundred million take a third of a second. */
export const MAX_MATCHING_WORK = 100_000_000;

/** Policies times request kinds (action, principal type, resource type) that the validator walks; about 14 µs each. */
export const MAX_VALIDATION_WORK = 200_000;

/** Of a request as JSON: it is kept with its decision. */
export const REQUEST_MAX_BYTES = 64 * 1024;
export const MAX_ENTITIES = 200;
export const MAX_PARENTS = 100;
/** Code points of an entity's id. */
export const ENTITY_ID_MAX = 1_000;

/** Errors kept with one decision, and code points of the message of each. */
export const MAX_ERRORS = 100;
export const ERROR_MESSAGE_MAX = 1_000;

/** Parsed sets kept by a process, and the bytes of their texts together: Cedar needs up to forty times as many. */
export const MAX_PREPARED_SETS = 32;
export const MAX_PREPARED_BYTES = 1024 * 1024;

export const MAX_MASKS = 100;
