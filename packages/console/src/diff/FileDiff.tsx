/** One file of a diff. */
import { memo, type ReactNode, useEffect, useRef, useState } from "react"
import { Button } from "../ui/Button.tsx"
import { Outside } from "../ui/Outside.tsx"
import { Tag } from "../ui/Tag.tsx"
import type { DiffFile } from "./Files.ts"
import { type Layout, Lines } from "./Lines.tsx"
import type { WordMarks } from "./WordMarks.ts"

const tones = { added: "good", modified: "run", deleted: "bad" } as const
const words = { added: "Added", modified: "Changed", deleted: "Deleted" } as const

/** Words are looked for when the file comes near the window: nobody waits for those far below. */
const useMarks = (file: DiffFile, isOpen: boolean) => {
  const section = useRef<HTMLElement>(null)
  const [marks, setMarks] = useState<WordMarks | null>(null)
  useEffect(() => {
    const shown = section.current
    if (shown === null || !isOpen || file.isLong || file.status !== "modified") return
    let isHere = true
    const watcher = new IntersectionObserver(
      (seen) => {
        if (!seen.some(({ isIntersecting }) => isIntersecting)) return
        watcher.disconnect()
        // Where the code does not come, the lines are shown without it.
        void import("./WordMarks.ts").then(
          ({ wordMarks }) => (isHere ? setMarks(wordMarks(file.patch.hunks)) : undefined),
          () => undefined
        )
      },
      { rootMargin: "600px" }
    )
    watcher.observe(shown)
    return () => {
      isHere = false
      watcher.disconnect()
    }
  }, [file, isOpen])
  return { section, marks }
}

const Raw = ({ raw }: { readonly raw: string | null }): ReactNode =>
  raw === null ? null : <Outside to={raw}>Raw file</Outside>

const Body = ({
  file,
  layout,
  marks,
  raw
}: {
  readonly file: DiffFile
  readonly layout: Layout
  readonly marks: WordMarks | null
  readonly raw: string | null
}): ReactNode => {
  const [isAsked, setAsked] = useState(false)
  const { hunks, isBinary, mode } = file.patch
  if (isBinary)
    return (
      <p className="file-note">
        A binary file: it has no lines to show. <Raw raw={raw} />
      </p>
    )
  if (file.isLong && !isAsked)
    return (
      <div className="file-note">
        More than 64 KiB of changes.{" "}
        <Button size="small" onClick={() => setAsked(true)}>
          Show them here
        </Button>{" "}
        <Raw raw={raw} />
      </div>
    )
  if (hunks.length === 0)
    return <p className="file-note">{mode === null ? "The file is empty." : `Only its mode is another: ${mode}.`}</p>
  return <Lines hunks={hunks} layout={layout} marks={marks} />
}

/** Its name, how much of it changed, whether it was viewed, and its lines. `raw` is where the whole file is to be had; null for nowhere. */
export const FileDiff = memo(
  ({
    file,
    isViewed,
    layout,
    raw,
    view
  }: {
    readonly file: DiffFile
    readonly layout: Layout
    readonly isViewed: boolean
    readonly view: (mark: string, isViewed: boolean) => void
    readonly raw: string | null
  }): ReactNode => {
    const { marks, section } = useMarks(file, !isViewed)
    return (
      <section ref={section} id={file.anchor} className="diff-file" tabIndex={-1} aria-label={file.path}>
        <div className="file-head">
          <h3>{file.path}</h3>
          <Tag tone={tones[file.status]}>{words[file.status]}</Tag>
          <span className="file-count">
            <ins>+{file.additions}</ins> <del>−{file.deletions}</del>
          </span>
          <label className="check">
            <input type="checkbox" checked={isViewed} onChange={(event) => view(file.mark, event.target.checked)} />
            Viewed
          </label>
        </div>
        {isViewed ? null : <Body file={file} layout={layout} marks={marks} raw={raw} />}
      </section>
    )
  }
)
