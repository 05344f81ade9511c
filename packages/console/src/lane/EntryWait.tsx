/** What an entry waits for, with whom, until when, and what people can do about it. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { consequenceOf } from "../app/Consequence.ts"
import { Moment } from "../generation/Moment.tsx"
import { useProjectHere } from "../project/Here.ts"
import { Time } from "../ui/Time.tsx"
import { type Wait, waitWords } from "./WhyWords.ts"

const Paths = ({ of }: { readonly of: ReadonlyArray<string> }): ReactNode =>
  of.length === 0 ? null : (
    <>
      <p>Both change:</p>
      <ul className="fallen">
        {of.map((path) => (
          <li key={path}>
            <code>{path}</code>
          </li>
        ))}
      </ul>
    </>
  )

const DeadLetter = ({ of: { kind, problem } }: { readonly of: NonNullable<Wait["deadLetter"]> }): ReactNode => {
  const { label } = useProjectHere()
  return (
    <>
      <p>
        It waits for a person: <code>{kind}</code> failed too often: {problem ?? "it gave no reason"}
      </p>
      <p>
        When that is mended, retry it among the <Link href={`/p/${label}/dead-letters`}>dead letters</Link>. It can be
        dismissed there, too: {consequenceOf(kind)}
      </p>
    </>
  )
}

/** `changeLink` is a link to a Change, told by its goal. */
export const EntryWait = ({
  changeLink,
  wait
}: {
  readonly wait: Wait
  readonly changeLink: (changeId: string) => ReactNode
}): ReactNode => {
  const { changeId, deadLetter, paths = [], reason, until } = wait
  if (deadLetter !== undefined) return <DeadLetter of={deadLetter} />
  if (wait.for === "conflict" && changeId !== undefined)
    return (
      <>
        <p>It cannot be merged with {changeLink(changeId)}: it waits until that has landed or left.</p>
        <Paths of={paths} />
      </>
    )
  return (
    <p>
      It {waitWords(wait)}
      {changeId === undefined ? null : <>: {changeLink(changeId)}</>}
      {until === undefined ? null : (
        <>
          , <Time at={until} /> (<Moment at={until} />)
        </>
      )}
      {reason === undefined ? "" : `: ${reason}`}.
    </p>
  )
}
