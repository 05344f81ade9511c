/** `/p/<label>/generations/<n>`: all that one generation stands on, on one page that prints. */
import type { ReactNode } from "react"
import { Link, useParams } from "wouter"
import { useProjectHere } from "../project/Here.ts"
import { Screen } from "../shell/Screen.tsx"
import { Answered } from "../ui/Answered.tsx"
import { Button, LinkButton } from "../ui/Button.tsx"
import { Card } from "../ui/Card.tsx"
import { Facts } from "../ui/Facts.tsx"
import { Id } from "../ui/Id.tsx"
import { Outside } from "../ui/Outside.tsx"
import { Tag } from "../ui/Tag.tsx"
import { Who } from "../ui/Who.tsx"
import { CheckIt } from "./CheckIt.tsx"
import { type Release, useGeneration, type Version } from "./GenerationQueries.ts"
import { useApp, useProjectOf } from "../project/ProjectQueries.ts"
import { MadeOf } from "./MadeOf.tsx"
import { Moment } from "./Moment.tsx"
import { ReleaseState } from "./ReleaseState.tsx"
import { Signed } from "./Signed.tsx"
import { triggerWords } from "./Trigger.ts"
import "./generation.css"

const What = ({ version }: { readonly version: Version }): ReactNode => {
  const { id } = useProjectHere()
  return (
    <Card title="What is canonical">
      <Facts
        of={{
          Project: <Id id={id} label="Project" />,
          Commit: <Id id={version.commit} label="commit" />,
          Tree: <Id id={version.tree} label="tree" />,
          "Digest of all files":
            version.dirHash === undefined ? (
              "not kept: an older version of Pawl promoted it"
            ) : (
              <Id id={version.dirHash} label="digest of all files" />
            ),
          "Came to be": triggerWords(version.trigger),
          By: <Who of={version.actor} />,
          At: <Moment at={version.promotedAt} />,
          Policy: `version ${version.policyVersion}`
        }}
      />
    </Card>
  )
}

const Released = ({ release, version }: { readonly release: Release | null; readonly version: Version }): ReactNode => (
  <Card title="Release">
    <Facts
      of={{
        State: <ReleaseState of={release} />,
        Why: release?.reason ?? null,
        Replaced: release?.replacedGeneration == null ? null : `S${release.replacedGeneration}`,
        "Its bundle": release?.bundleSource?.replaceAll("_", " ") ?? null,
        "Open it": version.url === null ? null : <Outside to={version.url}>{new URL(version.url).host}</Outside>
      }}
    />
    {release === null || release.probes.length === 0 ? null : (
      <ul role="list" className="probes">
        {release.probes.map((probe) => (
          <li key={probe.path}>
            <Tag tone={probe.result === "pass" ? "good" : "bad"}>{probe.result}</Tag> <code>{probe.path}</code>{" "}
            <span>
              {probe.status ?? "no response"}, expected {probe.expected}
              {probe.result === "pass" ? "" : `: ${probe.detail}`}
            </span>
          </li>
        ))}
      </ul>
    )}
  </Card>
)

const Marks = ({ n }: { readonly n: number }): ReactNode => {
  const { id } = useProjectHere()
  const head = useProjectOf(id).data?.canonical?.generation
  const app = useApp(id).data?.app
  return (
    <>
      {n === head ? <Tag>head</Tag> : null}{" "}
      {app?.status !== "removed" && app?.generation === n ? <Tag tone="good">live</Tag> : null}
    </>
  )
}

const Evidence = ({ n }: { readonly n: number }): ReactNode => {
  const { id, label } = useProjectHere()
  const head = useProjectOf(id).data?.canonical?.generation
  const generation = useGeneration(id, n)
  return (
    <Answered query={generation}>
      {({ release, version }) => (
        <div className="evidence">
          <What version={version} />
          <Released release={release} version={version} />
          <MadeOf version={version} />
          <Signed n={n} />
          <CheckIt version={version} />
          <nav className="generation-turn" aria-label="Other generations">
            {n === 0 ? null : <Link href={`/p/${label}/generations/${n - 1}`}>S{n - 1}, the one before</Link>}
            {n === 0 ? null : <Link href={`/p/${label}/generations/compare?from=${n - 1}&to=${n}`}>What changed</Link>}
            {head === undefined || n >= head ? null : (
              <Link href={`/p/${label}/generations/${n + 1}`}>S{n + 1}, the next</Link>
            )}
          </nav>
        </div>
      )}
    </Answered>
  )
}

/** The page of the generation in the address. */
export default function GenerationScreen(): ReactNode {
  const { n } = useParams<{ readonly n: string }>()
  const { id, label, name } = useProjectHere()
  const head = useProjectOf(id).data?.canonical?.generation
  const number = Number(/^\d{1,9}$/.test(n) ? n : Number.NaN)
  return (
    <Screen
      title={`Generation S${n}`}
      lead={
        <>
          {name} <Marks n={number} />
        </>
      }
      actions={
        <>
          {head !== undefined && number < head ? (
            <LinkButton to={`/p/${label}/rollback?to=${number}`}>Roll back to S{number}</LinkButton>
          ) : null}
          <Button onClick={() => window.print()}>Print</Button>
        </>
      }
    >
      {Number.isNaN(number) ? <p>Generations have numbers: S0, S1, S2.</p> : <Evidence n={number} />}
    </Screen>
  )
}
