/** The name of the schema that holds Pawl's tables. */

/** Where no other is given. */
export const defaultSchema = "pawl"

/** The name cannot be a schema here; the message says what can. */
export const schemaProblem = (schema: string): string | null =>
  /^[a-z_][a-z0-9_]{0,40}$/.test(schema) && !schema.startsWith("pg_")
    ? null
    : "use 1 to 41 lowercase letters, digits or _, not starting with a digit or pg_"
