/** What became canonical last. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { useChunk, type Version } from "../generation/GenerationQueries.ts"
import { ReleaseState } from "../generation/ReleaseState.tsx"
import { whatOf } from "../generation/Trigger.ts"
import { chunkOf } from "../generation/Window.ts"
import { useProjectHere } from "../project/Here.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Time } from "../ui/Time.tsx"

const shown = 5

/** `head` is the newest generation. The five may lie in two chunks: then the older one is asked for too. */
export const LastGenerations = ({ head }: { readonly head: number }): ReactNode => {
  const { id, label } = useProjectHere()
  const newest = useChunk(id, chunkOf(head))
  const older = useChunk(id, chunkOf(Math.max(0, head - shown + 1)))
  const of = (n: number): Version | undefined => newest.data?.versions.get(n) ?? older.data?.versions.get(n)
  const numbers = Array.from({ length: Math.min(shown, head + 1) }, (_, row) => head - row)
  return (
    <Card title="Last generations" bare actions={<Link href={`/p/${label}/generations`}>All generations</Link>}>
      <Answered query={newest} lines={shown}>
        {({ releases }) => (
          <ul role="list" className="last">
            {numbers.map((n) => {
              const version = of(n)
              return (
                <li key={n}>
                  <Link href={`/p/${label}/generations/${n}`}>S{n}</Link>
                  <span className="last-what">{version === undefined ? "…" : whatOf(version)}</span>
                  <span className="last-release">
                    <ReleaseState of={releases.get(n) ?? older.data?.releases.get(n)} />
                  </span>
                  {version === undefined ? null : <Time at={version.promotedAt} />}
                </li>
              )
            })}
          </ul>
        )}
      </Answered>
    </Card>
  )
}
