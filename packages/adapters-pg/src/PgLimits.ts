/** Every bound of the Postgres adapter, with its source beside it. */
export const PgLimits = {
  // Postgres (decisions: what one process may keep in memory)
  /** Texts of statements that are kept as they are sent. They are made from the tables and a few lengths. */
  statementTexts: 4096
} as const
