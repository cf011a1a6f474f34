/** The layers of protection are looked for on each append-only table of the ledger (design section 4). */
export { LEDGER_TABLES } from '../../contract/ledger-tables.ts';
