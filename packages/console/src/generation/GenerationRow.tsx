/** One row of the line: what a generation is, who made it canonical, and how its release went. */
import type { ReactNode } from "react"
import { Link } from "wouter"
import { useProjectHere } from "../project/Here.ts"
import { Tag } from "../ui/Tag.tsx"
import { Time } from "../ui/Time.tsx"
import { Who } from "../ui/Who.tsx"
import { useChunk } from "./GenerationQueries.ts"
import { ReleaseState } from "./ReleaseState.tsx"
import { triggerWords, whatOf } from "./Trigger.ts"
import { chunkOf } from "./Window.ts"

/** `live` is the generation that is served; null while none is. */
export const GenerationRow = ({
  head,
  live,
  n
}: {
  readonly n: number
  readonly head: number
  readonly live: number | null
}): ReactNode => {
  const { id, label } = useProjectHere()
  const { data: chunk, error } = useChunk(id, chunkOf(n))
  const version = chunk?.versions.get(n)
  return (
    <div className="generation" data-generation={n}>
      <div className="generation-n">
        <Link href={`/p/${label}/generations/${n}`} data-row>
          S{n}
        </Link>
        {n === live ? <Tag tone="good">live</Tag> : null}
        {n === head && n !== live ? <Tag>head</Tag> : null}
      </div>
      {version === undefined ? (
        <div className="generation-what">
          <span className="none">{error === null ? "…" : "unknown: the server did not answer"}</span>
        </div>
      ) : (
        <>
          <div className="generation-what">
            <span className="generation-goal" title={whatOf(version)}>
              {version.changeId === null ? (
                whatOf(version)
              ) : (
                <Link href={`/changes/${version.changeId}`}>{whatOf(version)}</Link>
              )}
            </span>
            <small>
              {triggerWords(version.trigger)} · <Who of={version.actor} />
              {version.rollbackReason === undefined ? null : ` · ${version.rollbackReason}`}
            </small>
          </div>
          <div className="generation-release">
            <ReleaseState of={chunk?.releases.get(n)} />
          </div>
          <div className="generation-end">
            <Time at={version.promotedAt} />
            {n === head ? null : (
              <Link href={`/p/${label}/rollback?to=${n}`} className="generation-back" aria-label={`Roll back to S${n}`}>
                Roll back
              </Link>
            )}
          </div>
        </>
      )}
    </div>
  )
}
