/** Lists of people with roles, as they are put: whole. */

interface Place {
  readonly userId: string
}

/** The list without a person. */
export const without = <P extends Place>(list: ReadonlyArray<P>, userId: string): ReadonlyArray<P> =>
  list.filter((each) => each.userId !== userId)

/** The list with a person in it once: with this role, where they stood, or at the end. */
export const withPerson = <P extends Place>(list: ReadonlyArray<P>, person: P): ReadonlyArray<P> =>
  list.some(({ userId }) => userId === person.userId)
    ? list.map((each) => (each.userId === person.userId ? person : each))
    : [...list, person]
