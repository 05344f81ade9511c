/** A diff on the page: what it is against, its files by their folders, and their lines. */
import { type ReactNode, startTransition, useEffect, useMemo, useState } from "react"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { FileDiff } from "./FileDiff.tsx"
import { type Diff, type DiffFile, filesOf, filesWithin } from "./Files.ts"
import { FileTree } from "./FileTree.tsx"
import { LayoutSwitch, useLayout } from "./LayoutSwitch.tsx"
import { Packages } from "./Packages.tsx"
import { useViewed } from "./Viewed.ts"

/** Lines that come at once: first what a window shows, so that it is there soon, then more at a time. */
const [firstLines, nextLines] = [80, 1500]

/** How many files are on the page: all of them in the end, so that the browser's own search finds everything. */
const useGrowing = (files: ReadonlyArray<DiffFile>): number => {
  const [count, setCount] = useState(() => filesWithin(files, 0, firstLines))
  useEffect(() => {
    if (count >= files.length) return
    const frame = requestAnimationFrame(() => startTransition(() => setCount(filesWithin(files, count, nextLines))))
    return () => cancelAnimationFrame(frame)
  }, [count, files])
  return count
}

/** `against` are words for the base; `tree` is what the files come to. `rawOf` says where a whole file is to be had, null for nowhere. */
export const DiffView = ({
  against,
  diff,
  rawOf,
  tree
}: {
  readonly against: ReactNode
  readonly diff: Diff
  readonly tree: string
  readonly rawOf: (file: DiffFile) => string | null
}): ReactNode => {
  const files = useMemo(() => filesOf(diff, tree), [diff, tree])
  const [viewed, view] = useViewed()
  const [layout, setLayout] = useLayout()
  const count = useGrowing(files)
  const sum = (of: "additions" | "deletions") => files.reduce((total, file) => total + file[of], 0)
  if (files.length === 0)
    return (
      <Card bare>
        <Empty icon="check" title="It changes no file">
          <p>Against {against} nothing is different.</p>
        </Empty>
      </Card>
    )
  return (
    <div className="diff-tab">
      <div className="diff-head">
        <p>
          Against {against}
          {files.length} {files.length === 1 ? "file" : "files"}, <ins>+{sum("additions")}</ins>{" "}
          <del>−{sum("deletions")}</del>, {files.filter(({ mark }) => viewed.has(mark)).length} viewed
        </p>
        <LayoutSwitch layout={layout} choose={setLayout} />
      </div>
      <Packages changes={diff.packages ?? []} />
      <div className="diff-body" data-whole={count >= files.length}>
        <FileTree files={files} viewed={viewed} />
        <div className="diff-files">
          {files.slice(0, count).map((file) => (
            <FileDiff
              key={file.path}
              file={file}
              layout={layout}
              isViewed={viewed.has(file.mark)}
              view={view}
              raw={rawOf(file)}
            />
          ))}
        </div>
      </div>
    </div>
  )
}
