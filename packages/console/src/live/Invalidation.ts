/** Which answers a change of state makes stale. */
import { type Key, keys } from "../api/Keys.ts"

/** Something moved to another status. */
export interface Frame {
  readonly projectId: string
  /** `change`, `candidate`, `task`, `release`, … */
  readonly kind: string
  readonly id: string
  readonly to: string
  /** The Change that it belongs to; null for what belongs to none. */
  readonly changeId: string | null
}

/** The frame in the data of an event; null for what is none, of which a newer server may send some. */
export const frameOf = (data: string): Frame | null => {
  try {
    const read: unknown = JSON.parse(data)
    if (typeof read !== "object" || read === null) return null
    const { changeId, id, kind, projectId, to } = read as Readonly<Record<string, unknown>>
    return [id, kind, projectId].every((each) => typeof each === "string")
      ? {
          id: id as string,
          kind: kind as string,
          projectId: projectId as string,
          to: typeof to === "string" ? to : "",
          changeId: typeof changeId === "string" ? changeId : null
        }
      : null
  } catch {
    return null
  }
}

/** A check is of one Candidate, which its id begins with: no list shows it. */
const staleByCheck = (changeId: string, id: string): ReadonlyArray<Key> => [
  keys.change(changeId),
  keys.candidate(id.slice(0, id.indexOf("/")))
]

/** Everything of the Project, and what the frame is of. */
export const staleBy = ({ changeId, id, kind, projectId }: Frame): ReadonlyArray<Key> =>
  kind === "check" && changeId !== null
    ? staleByCheck(changeId, id)
    : [
        keys.inbox,
        keys.projects,
        keys.project(projectId),
        kind === "change" ? keys.change(id) : changeId === null ? ["change"] : keys.change(changeId),
        kind === "candidate" ? keys.candidate(id) : ["candidate"]
      ]

/** What a change of state makes stale: of the Change that somebody looks at, and all else. */
export interface Split {
  readonly shown: ReadonlyArray<Key>
  readonly others: ReadonlyArray<Key>
}

/** Parts names by whether their Change is on a screen, which `isShown` says of its name. */
export const split = (stale: ReadonlyArray<Key>, isShown: (key: Key) => boolean): Split => {
  const isOfIt = ([of]: Key) => of === "change" || of === "candidate"
  return stale.some((key) => key[0] === "change" && key.length > 1 && isShown(key))
    ? { shown: stale.filter(isOfIt), others: stale.filter((key) => !isOfIt(key)) }
    : { shown: [], others: stale }
}

const covers = (above: Key, below: Key): boolean =>
  above.length <= below.length && above.every((part, index) => part === below[index])

/** The same keys without those that another one covers. */
export const widest = (all: ReadonlyArray<Key>): ReadonlyArray<Key> =>
  all.filter(
    (key, index) =>
      !all.some((other, place) => place !== index && covers(other, key) && (other.length < key.length || place < index))
  )
