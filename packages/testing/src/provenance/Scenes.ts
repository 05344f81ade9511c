/**
 * Projects with statements as Pawl makes them: generations, Policies, checks with evidence, approvals signed with passkeys,
 * bundles, releases and how they ended, two keys one after the other, a log. Each is a pack, with the keys that a thief of
 * everything would have.
 */
import type { Policy } from "@pawl/core/model/Policy"
import { canonicalJson, sha256AtOnce } from "@pawl/core/primitives/Digest"
import type { ProjectId } from "@pawl/core/primitives/Ids"
import { adoptedRecords, namedLines, policyLine } from "@pawl/core/provenance/AdoptedRecords"
import { rootOf } from "@pawl/core/provenance/Edge"
import type { PromotionFacts, Sha } from "@pawl/core/provenance/Predicates"
import { recordText } from "@pawl/core/provenance/RecordDigest"
import { emptyChain, type Fact } from "@pawl/core/provenance/Statements"
import type { Pack } from "./Packs.ts"
import { keyFact, sayApprovers } from "./SceneKeyHistory.ts"
import {
  newLogKey,
  newPasskey,
  newStatementKey,
  type SceneKey,
  type ScenePasskey,
  sealed,
  signedNote
} from "./SceneKeys.ts"
import {
  author,
  bundleSubject,
  candidateOf,
  changeOf,
  filesOf,
  keep,
  odd,
  owner,
  policyOf,
  project,
  say,
  sayKey,
  sha,
  site,
  store,
  subjectOf,
  time,
  type Writer
} from "./SceneParts.ts"
import { approvalFor, bundleFor, evidenceFor, isApproved, madeFor, planFor, riskOf, sbomFor } from "./SceneRecords.ts"
import { repeatedFor, reuseIn } from "./SceneRepeats.ts"
import { makeRepository, type SceneCommit } from "./SceneSources.ts"

/** What a scene is to have. */
export interface SceneOptions {
  /** Where its repository is made. */
  readonly repository: string
  readonly generations?: number
  /** The newest generation of the time before statements; absent for a Project that had them from the beginning. */
  readonly adoptedTo?: number
  /** After this generation a backup was restored, and three entries were lost. */
  readonly restoredAfter?: number
}

/** A whole Project, and all that a thief could have. */
export interface Scene {
  readonly pack: Pack
  readonly project: ProjectId
  readonly origin: string
  /** The first key, and the one that took its place before `rotatedAt`. */
  readonly first: SceneKey
  readonly second: SceneKey
  /** The entry from which on the second key signs. */
  readonly rotatedAt: number
  readonly log: SceneKey
  /** The person for whom agents worked. */
  readonly author: string
  readonly commits: ReadonlyArray<SceneCommit>
  /** The checkpoint when the log had this size. */
  readonly checkpointAt: (size: number) => string
}

/** What is known while generations are made. */
interface Line {
  readonly writer: Writer
  readonly commits: ReadonlyArray<SceneCommit>
  readonly passkey: ScenePasskey
  readonly adoptedTo: number
  policy: { readonly row: Policy; readonly digest: Sha }
  /** What production serves. */
  good: { readonly generation: number; readonly bundle: Sha } | null
  readonly bundles: Map<number, Sha>
}

const promotionFor = async (
  line: Line,
  n: number
): Promise<{ readonly fact: Fact<"promotion">; readonly bundle: Sha | null }> => {
  const { commits, passkey, policy, writer } = line
  const source = commits[n]!
  const isBack = n === odd.rollback
  const bundle = n === 0 || isBack ? null : bundleFor(writer, n, source)
  const checks = n === 0 ? [] : isBack ? ["tree-equals"] : ["build", "test"]
  const plan = n === 0 ? null : planFor(writer, n, checks, policy.row)
  const waived = n === odd.waived ? { reason: "flaky runner", until: time(99_999) } : null
  const base =
    n === 0 ? null : { generation: n - 1, digest: { gitCommit: commits[n - 1]!.commit, gitTree: commits[n - 1]!.tree } }
  const candidate = {
    id: candidateOf(n),
    change: changeOf(n),
    openedBy: author,
    risk: riskOf(n),
    recomposition: 0,
    ...(n === odd.carried ? { diff: sha(sha256AtOnce(`difference of ${n}`)) } : {})
  } as const
  const facts: PromotionFacts = {
    generation: n,
    trigger: n === 0 ? "seed" : isBack ? "rollback" : "user",
    actor: { type: "user", id: author },
    candidate: n === 0 ? null : candidate,
    base,
    ...madeFor(writer, n, source),
    policy: { version: policy.row.version, ...policy.digest },
    plan,
    checks: checks.map((check) =>
      bundle !== null && reuseIn(n) !== undefined
        ? repeatedFor(writer, n, check, { bundle, source })
        : evidenceFor(writer, n, check, { bundle, source, waived: check === "test" ? waived : null })
    ),
    approvals: isApproved(n) && plan !== null ? [await approvalFor(writer, n, { source, plan, passkey })] : [],
    approvalsRequired: isApproved(n) ? 1 : 0,
    packages: n === odd.sbom ? { sbom: sbomFor(writer, source.commit) } : null,
    ...(isBack ? { rollbackTo: odd.rollbackTo } : {}),
    ...(n <= line.adoptedTo ? { adopted: { promotedAt: time(n * 10 + 3) } } : {})
  }
  const subject = [subjectOf(n, source), ...(bundle === null ? [] : [bundleSubject(bundle)])]
  if (bundle !== null) line.bundles.set(n, bundle)
  return { fact: { kind: "promotion", generation: n, subject, facts }, bundle }
}

/** The bundle of a rollback: the target's, at its own commit. */
const derivedFor = ({ bundles, commits, writer }: Line, n: number): Sha => {
  const from = writer.objects.get(bundles.get(odd.rollbackTo)!.sha256)!
  const bundle: Record<string, unknown> = JSON.parse(Buffer.from(from).toString())
  return store(writer, canonicalJson({ ...bundle, commit: commits[n]!.commit, builtAt: time(n * 10) }))
}

/** A generation goes live, or fails to; `incarnation` counts how often the app was deployed anew. */
const releaseOf = (line: Line, n: number, promoted: Sha | null, incarnation: number): void => {
  const { commits, good, writer } = line
  const bundle = promoted ?? derivedFor(line, n)
  const isBack = n === odd.rollback
  const release = say(
    writer,
    {
      kind: "release",
      generation: n,
      subject: [bundleSubject(bundle)],
      facts: {
        generation: n,
        channel: "production",
        incarnation,
        label: "shop",
        source: isBack ? "same_tree" : "preview_copy",
        ...(isBack ? { derivedFrom: { generation: odd.rollbackTo, ...line.bundles.get(odd.rollbackTo)! } } : {}),
        mayRestore: good === null ? null : good.bundle
      }
    },
    time(n * 10 + 4)
  )
  const isFailed = n === odd.failed
  const restored = isFailed && good !== null ? { restored: { generation: good.generation, ...good.bundle } } : {}
  say(
    writer,
    {
      kind: "outcome",
      generation: n,
      subject: [subjectOf(n, commits[n]!)],
      facts: {
        generation: n,
        channel: "production",
        outcome: isFailed ? "smoke_failed" : "deployed",
        release: sha(release),
        ...restored,
        probes: sha(sha256AtOnce(`probes of ${n}`))
      }
    },
    time(n * 10 + 5)
  )
  line.bundles.set(n, bundle)
  if (!isFailed) line.good = { generation: n, bundle }
}

const sayPolicy = (line: Pick<Line, "writer">, version: number, at: string): Line["policy"] => {
  const row = policyOf(version)
  const digest = keep(line.writer, "policyVersion", String(version), recordText("policyVersion", row))
  const subject = [{ name: `${project}/policy/${version}`, digest }]
  say(line.writer, { kind: "policy", generation: null, subject, facts: { version, by: owner } }, at)
  return { row, digest }
}

/** What a Project of the time before statements begins with: every Policy, and what its generations stood on. */
const adopt = (line: Line, promotions: ReadonlyArray<Fact<"promotion">>, at: string): void => {
  const lines = promotions.flatMap(({ facts }) => namedLines(facts))
  say(
    line.writer,
    {
      kind: "adopted",
      generation: line.adoptedTo,
      subject: [subjectOf(line.adoptedTo, line.commits[line.adoptedTo]!)],
      facts: {
        generation: line.adoptedTo,
        records: adoptedRecords([policyLine(1, line.policy.digest.sha256), ...lines]),
        clean: true
      }
    },
    at
  )
  for (const fact of promotions) say(line.writer, fact, at)
}

const restore = ({ commits, writer }: Line, n: number, origin: string): void => {
  const { chain } = writer
  const old = { origin, size: chain.size + 3, root: Buffer.from(sha256AtOnce("lost"), "hex").toString("base64") }
  writer.chain = { ...chain, epoch: chain.epoch + 1 }
  say(
    writer,
    {
      kind: "restored",
      generation: n,
      subject: [subjectOf(n, commits[n]!)],
      facts: { generation: n, old, lost: { from: chain.size, to: old.size } }
    },
    time(n * 10 + 6)
  )
}

const emptyWriter = (): Writer => ({
  chain: emptyChain(project, time(0)),
  entries: [],
  edges: [],
  instance: emptyChain("instance", time(0)),
  keys: [],
  records: new Map(),
  objects: new Map()
})

/** Makes a Project. Its repository lies where the options say, all else is in memory. */
export const makeScene = async (options: SceneOptions): Promise<Scene> => {
  const { adoptedTo = -1, generations = 30, repository, restoredAfter = -1 } = options
  const [first, second, log] = [newStatementKey(), newStatementKey(), newLogKey()]
  const people = { owner: await newPasskey(site), approver: await newPasskey(site) }
  const [origin, keysOrigin] = [`pawl.example/log/${project}`, "pawl.example/log/instance"]
  const writer = emptyWriter()
  const commits = makeRepository(
    repository,
    Array.from({ length: generations }, (_, n) => filesOf(n))
  )
  sayKey(writer, keyFact(first, "statement"), time(0), first)
  sayKey(writer, keyFact(log, "log"), time(0), first)
  await sayApprovers(writer, first, people)
  const policy = sayPolicy({ writer }, 1, time(0))
  const line: Line = { writer, commits, passkey: people.approver, adoptedTo, policy, good: null, bundles: new Map() }
  let rotatedAt = Number.POSITIVE_INFINITY
  const older: Array<Fact<"promotion">> = []
  for (let n = 0; n <= adoptedTo; n++) older.push((await promotionFor(line, n)).fact)
  if (older.length > 0) adopt(line, older, time(adoptedTo * 10 + 3))
  for (let n = adoptedTo + 1; n < generations; n++) {
    if (n === odd.newPolicy) line.policy = sayPolicy(line, 2, time(n * 10))
    if (n === odd.rotation) {
      rotatedAt = writer.chain.size
      const retires = [{ keyid: first.keyid, heads: { [project]: rotatedAt } }]
      sayKey(writer, keyFact(second, "statement", retires), time(n * 10), first)
    }
    const { bundle, fact } = await promotionFor(line, n)
    say(writer, fact, time(n * 10 + 3))
    if (n > 0) releaseOf(line, n, bundle, 1)
    if (n === restoredAfter) restore(line, n, origin)
  }
  const last = generations - 1
  releaseOf(line, last, line.bundles.get(last)!, 2)
  const epoch = writer.chain.epoch
  const named = epoch === 1 ? origin : `${origin}/${epoch}`
  const checkpointAt = (size: number) => signedNote(log, named, size, rootOf(writer.edges[size - 1] ?? []))
  const served = line.good!
  const statements = writer.entries.map(({ payload }, entry) => sealed(entry < rotatedAt ? first : second, payload))
  const pack: Pack = {
    statements,
    keys: writer.keys,
    records: writer.records,
    objects: writer.objects,
    checkpoint: checkpointAt(statements.length),
    keysCheckpoint: signedNote(log, keysOrigin, writer.instance.size, rootOf(writer.instance.edge)),
    live: {
      bundle: served.bundle.sha256,
      generation: served.generation,
      channel: "production",
      incarnation: 2,
      assets: { "a.txt": sha256AtOnce(commits[last]!.files.get("public/a.txt") ?? "") },
      entry: statements.length - 2,
      envelope: statements.at(-2) ?? null
    },
    trust: { keys: [first.keyid], log: { origin, spki: log.spki }, origins: [site] }
  }
  return { pack, project, origin, first, second, rotatedAt, log, author, commits, checkpointAt }
}
