/** A Candidate as people would see it, beside what is live. */
import { type ReactNode, useState } from "react"
import { api } from "../api/Client.ts"
import { keys } from "../api/Keys.ts"
import { useAnswer } from "../api/Queries.ts"
import { Refusal } from "../api/Refusal.ts"
import type { CallOptions } from "../api/Wire.ts"
import { type Candidate, useCandidate } from "../candidate/CandidateQuery.ts"
import { NoCandidate } from "../candidate/NoCandidate.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Card } from "../ui/Card.tsx"
import { Empty } from "../ui/Empty.tsx"
import { Id } from "../ui/Id.tsx"
import { Notice } from "../ui/Notice.tsx"
import { Segments } from "../ui/Segments.tsx"
import { Time } from "../ui/Time.tsx"
import { AppFrame } from "./AppFrame.tsx"
import { isOfSite, siteOf } from "./FrameCookies.ts"
import { pageAt, PageField } from "./PageField.tsx"
import { type NoPreview, type Preview, whyNone, whyNotShown } from "./PreviewState.ts"
import "./preview.css"

const sizes = {
  "390": { width: 390, height: 844 },
  "768": { width: 768, height: 1024 },
  "1280": { width: 1280, height: 800 }
} as const
type Width = keyof typeof sizes

/** On a window that is narrower, in CSS pixels, the screen of a phone comes first: a wide one would be too small to read. */
const narrow = 700

/** What is not there is an answer, and no failure. */
const orNull = async <A,>(asked: Promise<A>): Promise<A | null> =>
  asked.catch((thrown: unknown) => {
    if (thrown instanceof Refusal && (thrown.status === 404 || thrown.status === 410)) return null
    throw thrown
  })

const previewOf = async (id: string, options: CallOptions): Promise<Preview | null> =>
  (await orNull(api.candidates.preview({ params: { id } }, options)))?.preview ?? null

const Nothing = ({ of }: { readonly of: NoPreview }): ReactNode => (
  <Card bare>
    <Empty icon={of.isOver ? "stop" : "clock"} title={of.title}>
      <p>{of.words}</p>
    </Empty>
  </Card>
)

/** Asks how the build ended, which says why there is no preview. */
const None = ({ candidate }: { readonly candidate: Candidate }): ReactNode => {
  const build = useAnswer(keys.ofCandidate(candidate.id, "build"), async (options) => {
    const { items } = await api.candidates.evidence({ params: { id: candidate.id }, query: { limit: 100 } }, options)
    return items.findLast(({ checkId }) => checkId === "build")?.result ?? null
  })
  return <Answered query={build}>{(result) => <Nothing of={whyNone(candidate, result ?? undefined)} />}</Answered>
}

const Live = ({
  page,
  projectId,
  width
}: {
  readonly page: string
  readonly projectId: string
  readonly width: Width
}): ReactNode => {
  const live = useAnswer(
    keys.ofProject(projectId, "app", "beside"),
    async (options) => (await api.apps.get({ params: { id: projectId } }, options)).app
  )
  return (
    <Answered query={live}>
      {(app) =>
        app === null || app.status !== "live" || app.url === "" ? (
          <Card bare>
            <Empty icon="dot" title="Nothing is live">
              <p>{app?.reason ?? "This Project has no app yet to compare it with."}</p>
            </Empty>
          </Card>
        ) : (
          <AppFrame
            title="Live"
            of="The live app"
            url={pageAt(app.url, page)}
            commit={app.commit ?? ""}
            size={sizes[width]}
          >
            {app.generation === null ? null : `S${app.generation}`}
          </AppFrame>
        )
      }
    </Answered>
  )
}

/** Changes of the lane whose work is shown, too. */
const Others = ({ of }: { readonly of: ReadonlyArray<string> }): ReactNode =>
  of.length === 0 ? null : (
    <Notice tone="idle" icon="warn">
      It was made on what stands before it in the lane, and shows work too that has not landed:{" "}
      {of.map((changeId) => (
        <Id key={changeId} id={changeId} label="Change" />
      ))}
    </Notice>
  )

const Shown = ({ candidate, preview }: { readonly candidate: Candidate; readonly preview: Preview }): ReactNode => {
  const [width, setWidth] = useState<Width>(() => (innerWidth < narrow ? "390" : "1280"))
  const [beside, setBeside] = useState<"both" | "preview">("both")
  const [page, setPage] = useState("/")
  const [site] = useState(() => siteOf(location.hostname, document))
  const why = preview.url === "" ? null : whyNotShown(preview, Date.now())
  if (preview.url === "")
    return (
      <Nothing
        of={{ title: "No apps are hosted here", words: "PAWL_APPS_DOMAIN is not set on this server.", isOver: false }}
      />
    )
  if (why !== null) return <Nothing of={why} />
  const commit = preview.commit ?? candidate.commit ?? ""
  return (
    <div className="preview-tab">
      <div className="preview-head">
        <Segments
          label="Width of the screen"
          chosen={width}
          choose={setWidth}
          options={[
            { value: "390", title: "390" },
            { value: "768", title: "768" },
            { value: "1280", title: "1280" }
          ]}
        />
        <Segments
          label="What is shown"
          chosen={beside}
          choose={setBeside}
          options={[
            { value: "both", title: "Beside live" },
            { value: "preview", title: "Preview alone" }
          ]}
        />
        <PageField path={page} go={setPage} />
        <span className="preview-end">
          Ends <Time at={preview.expiresAt} />
        </span>
      </div>
      <Others of={preview.on ?? []} />
      {isOfSite(new URL(preview.url).hostname, site) ? null : (
        <Notice tone="idle" icon="warn">
          In these frames the apps keep no cookies: browsers keep those from frames of other sites. To sign in there,
          open them in a tab.
        </Notice>
      )}
      <div className="preview-frames" data-beside={beside}>
        <AppFrame
          title="Preview"
          of={`The preview of ${candidate.id}`}
          url={pageAt(preview.url, page)}
          commit={commit}
          size={sizes[width]}
        >
          <Id id={commit} label="commit" />
        </AppFrame>
        {beside === "both" ? <Live page={page} projectId={candidate.projectId} width={width} /> : null}
      </div>
    </div>
  )
}

const OfCandidate = ({ id }: { readonly id: string }): ReactNode => {
  const candidate = useCandidate(id)
  const preview = useAnswer(keys.ofCandidate(id, "preview"), (options) => previewOf(id, options))
  return (
    <Answered query={candidate}>
      {(found) => (
        <Answered query={preview}>
          {(shown) => (shown === null ? <None candidate={found} /> : <Shown candidate={found} preview={shown} />)}
        </Answered>
      )}
    </Answered>
  )
}

/** The tab. */
export default function PreviewTab({
  candidateId
}: {
  readonly changeId: string
  readonly candidateId: string | null
}): ReactNode {
  return candidateId === null ? <NoCandidate what="preview" /> : <OfCandidate key={candidateId} id={candidateId} />
}
