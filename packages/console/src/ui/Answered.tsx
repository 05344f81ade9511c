/** What a screen shows of something that it asks for: an outline, a problem, or the answer. */
import type { ReactNode } from "react"
import { Notice } from "./Notice.tsx"
import { Problem } from "./Problem.tsx"
import { Skeleton } from "./Skeleton.tsx"

/** The part of a query that this reads. */
export interface Asked<A> {
  readonly data: A | undefined
  readonly error: unknown
  readonly refetch: () => unknown
}

/** Once there is an answer it stays: a later failure only says that it may be old. `lines` as of `Skeleton`. */
export const Answered = <A,>({
  children,
  lines,
  query
}: {
  readonly query: Asked<A>
  readonly lines?: number
  readonly children: (answer: A) => ReactNode
}): ReactNode => {
  const { data, error, refetch } = query
  if (data === undefined)
    return error === null ? (
      <Skeleton {...(lines === undefined ? {} : { lines })} />
    ) : (
      <Problem of={error} retry={() => void refetch()} />
    )
  return (
    <>
      {error === null ? null : (
        <Notice tone="warn" icon="warn">
          This may be old: the server did not answer the last time.
        </Notice>
      )}
      {children(data)}
    </>
  )
}
