/** The name of a user of the database that is given rights. */

/** The name cannot be given rights here; the message says what can. */
export const roleProblem = (role: string): string | null =>
  /^[A-Za-z_][A-Za-z0-9_.@-]{0,62}$/.test(role) && !/^(pg_.*|public|none|current_user|session_user)$/i.test(role)
    ? null
    : "use 1 to 63 letters, digits and _ . @ -, beginning with a letter or _, and not public or a name of Postgres's own"
