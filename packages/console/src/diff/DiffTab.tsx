/** The diff of a Candidate against the generation that it was composed on. */
import { useDiff } from "../change/Queries.ts"
import { type ReactNode, startTransition, useEffect, useMemo, useState } from "react"
import { asRefusal } from "../api/Refusal.ts"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Id } from "../ui/Id.tsx"
import { type Candidate, useCandidate } from "../candidate/CandidateQuery.ts"
import { NoCandidate } from "../candidate/NoCandidate.tsx"
import { FileDiff } from "./FileDiff.tsx"
import { type Diff, filesOf, filesWithin } from "./Files.ts"
import { FileTree } from "./FileTree.tsx"
import { LayoutSwitch, useLayout } from "./LayoutSwitch.tsx"
import { Packages } from "./Packages.tsx"
import { useViewed } from "./Viewed.ts"
import "./diff.css"

/** Lines that come at once: first what a window shows, so that it is there soon, then more at a time. */
const [firstLines, nextLines] = [80, 1500]

/** How many files are on the page: all of them in the end, so that the browser's own search finds everything. */
const useGrowing = (files: ReturnType<typeof filesOf>): number => {
  const [count, setCount] = useState(() => filesWithin(files, 0, firstLines))
  useEffect(() => {
    if (count >= files.length) return
    const frame = requestAnimationFrame(() => startTransition(() => setCount(filesWithin(files, count, nextLines))))
    return () => cancelAnimationFrame(frame)
  }, [count, files])
  return count
}

const rawLink = ({ base_tree: base, projectId, tree }: Candidate, path: string, isGone: boolean): string =>
  `/v1/projects/${projectId}/code?${new URLSearchParams({ tree: isGone ? base : (tree ?? base), path }).toString()}`

const Shown = ({ candidate, diff }: { readonly candidate: Candidate; readonly diff: Diff }): ReactNode => {
  const files = useMemo(() => filesOf(diff, candidate.tree ?? ""), [diff, candidate.tree])
  const [viewed, view] = useViewed()
  const [layout, setLayout] = useLayout()
  const count = useGrowing(files)
  const sum = (of: "additions" | "deletions") => files.reduce((total, file) => total + file[of], 0)
  if (files.length === 0)
    return (
      <Card bare>
        <Empty icon="check" title="It changes no file">
          <p>Its tree is that of S{candidate.base_generation}.</p>
        </Empty>
      </Card>
    )
  return (
    <div className="diff-tab">
      <div className="diff-head">
        <p>
          Against <strong>S{candidate.base_generation}</strong> <Id id={candidate.base_commit} label="base commit" />
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
              raw={rawLink(candidate, file.path, file.status === "deleted")}
            />
          ))}
        </div>
      </div>
    </div>
  )
}

const OfCandidate = ({ id }: { readonly id: string }): ReactNode => {
  const candidate = useCandidate(id)
  const diff = useDiff(id)
  if (diff.data === undefined && diff.error !== null && asRefusal(diff.error).code === "not_composed")
    return (
      <Card bare>
        <Empty icon="clock" title="There is no diff yet">
          <p>{candidate.data?.reason ?? "The Candidate is being composed. Its diff is here as soon as it is."}</p>
        </Empty>
      </Card>
    )
  return (
    <Answered query={candidate}>
      {(found) => <Answered query={diff}>{(answer) => <Shown candidate={found} diff={answer} />}</Answered>}
    </Answered>
  )
}

/** The tab. */
export default function DiffTab({
  candidateId
}: {
  readonly changeId: string
  readonly candidateId: string | null
}): ReactNode {
  return candidateId === null ? <NoCandidate what="diff" /> : <OfCandidate key={candidateId} id={candidateId} />
}
