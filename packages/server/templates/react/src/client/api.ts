import type { User } from "../identity/index.ts"
import type { Note } from "../worker/notes.ts"

/** What the page shows: whose notes, and who else there is. */
export interface Board {
  readonly user: User
  readonly users: ReadonlyArray<User>
  readonly notes: ReadonlyArray<Note>
}

const ask = async (path: string, init?: RequestInit): Promise<Board> => {
  const response = await fetch(path, init)
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response.json()
}

const sending = (method: string, body?: unknown): RequestInit => ({
  method,
  headers: { "content-type": "application/json" },
  ...(body === undefined ? {} : { body: JSON.stringify(body) })
})

export const load = () => ask("/api/notes")
export const add = (text: string) => ask("/api/notes", sending("POST", { text }))
export const remove = (id: string) => ask(`/api/notes/${id}`, sending("DELETE"))
export const actAs = (user: string) => ask("/api/user", sending("POST", { user }))
