/** What an operator does about a graph that is refused. */
export const EMPTY_IT =
  'Empty this database (`match (n) call (n) { detach delete n } in transactions`): it fills again from the ledger.';
export const ANOTHER = 'Give the mirror a database of its own (NEO4J_DATABASE, or another NEO4J_URI).';
