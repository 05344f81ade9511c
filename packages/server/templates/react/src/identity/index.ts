/**
 * A fake identity: the visitor picks who to be. There is no login here, and there must never be one:
 * no passwords, no accounts, nothing that collects credentials.
 */
export interface User {
  readonly id: string
  readonly name: string
}

export const users: ReadonlyArray<User> = [
  { id: "demo", name: "Demo visitor" },
  { id: "maria", name: "Maria" },
  { id: "kofi", name: "Kofi" },
  { id: "yuki", name: "Yuki" }
]

export const defaultUser: User = { id: "demo", name: "Demo visitor" }

export const cookieName = "notes_user"

export const findUser = (id: string): User | undefined => users.find((user) => user.id === id)

/** The value of a cookie, or `undefined`. */
export const cookieValue = (header: string | null, name: string): string | undefined => {
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=")
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim()
  }
  return undefined
}

/** The acting user: by the header `x-user-id`, else by the cookie, else the demo user. `undefined` for a name nobody has. */
export const actingUser = (request: Request): User | undefined => {
  const named = request.headers.get("x-user-id") ?? cookieValue(request.headers.get("cookie"), cookieName)
  return named === undefined ? defaultUser : findUser(named)
}

/** The `Set-Cookie` that makes a visitor this user, for 30 days. */
export const userCookie = (user: User): string =>
  `${cookieName}=${user.id}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax`
