import type { DataStore } from "./env.ts"

export interface Note {
  readonly id: string
  readonly text: string
}

/** Characters of a note, and how many of them a user may keep. */
export const textLength = 280
export const notesPerUser = 100

/** The text of a note as it is kept; `undefined` for one that cannot be. */
export const noteText = (value: unknown): string | undefined => {
  const text = typeof value === "string" ? value.trim() : ""
  return text === "" || text.length > textLength ? undefined : text
}

/** Notes with a new one first. The oldest go when there are too many. */
export const added = (notes: ReadonlyArray<Note>, note: Note): ReadonlyArray<Note> =>
  [note, ...notes].slice(0, notesPerUser)

export const removed = (notes: ReadonlyArray<Note>, id: string): ReadonlyArray<Note> =>
  notes.filter((note) => note.id !== id)

const isNote = (value: unknown): value is Note =>
  typeof value === "object" &&
  value !== null &&
  "id" in value &&
  typeof value.id === "string" &&
  "text" in value &&
  typeof value.text === "string"

/** Stored notes; none when there are none, or when they cannot be read. */
export const parse = (text: string | null): ReadonlyArray<Note> => {
  try {
    const value: unknown = JSON.parse(text ?? "[]")
    return Array.isArray(value) ? value.filter(isNote) : []
  } catch {
    return []
  }
}

const key = (userId: string): string => `notes:${userId}`

export const load = async (data: DataStore, userId: string): Promise<ReadonlyArray<Note>> =>
  parse(await data.get(key(userId)))

export const save = async (data: DataStore, userId: string, notes: ReadonlyArray<Note>): Promise<void> =>
  notes.length === 0 ? data.delete(key(userId)) : data.put(key(userId), JSON.stringify(notes))
