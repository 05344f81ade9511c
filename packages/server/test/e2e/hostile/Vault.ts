/**
 * A real server with something to steal: versions that are live, an approval that a passkey signed, a version that was
 * built and verified and never promoted, a clone and checkpoints that others hold. Thieves work on copies of its folder.
 */
import { createHash } from "node:crypto"
import { cpSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { expect } from "vitest"
import { answerOf, newPasskey, type Passkey } from "@pawl/testing/tools/SoftwareAuthenticator"
import type { CandidateJson } from "@pawl/server/api/RecordSchemas"
import { type Ended, pawl } from "../kit/Command.ts"
import * as Flow from "../kit/Flow.ts"
import { type GitClient, gitClient, gitUrl } from "../kit/GitClient.ts"
import { type ServerProcess, startServer, temporaryFolder, token } from "../kit/ServerProcess.ts"

const rpId = "localhost"
const tiers = ["low", "medium", "high", "unknown"]

/** What was answered to a caller with some token. */
interface Answered {
  readonly status: number
  readonly body: Record<string, unknown>
}

export interface Vault {
  readonly folder: string
  readonly project: string
  /** The first key, as its operator tells it. */
  readonly keyid: string
  /** Where checkpoints are published, and a clone that fetched the statements. */
  readonly held: () => string
  readonly people: GitClient
  readonly server: ServerProcess
  readonly ben: { readonly token: string; readonly passkey: Passkey }
  readonly call: (method: string, path: string, body?: unknown, as?: string) => Promise<Answered>
  readonly policy: (fields: object) => Promise<void>
  /** A verified Candidate of one edit. */
  readonly candidate: (name: string) => Promise<CandidateJson>
  /** What a person says of a Candidate, with a passkey's signature or without. */
  readonly approve: (candidate: CandidateJson, as: string, passkey?: Passkey) => Promise<Answered>
  readonly live: (candidate: CandidateJson) => Promise<number>
  /** Ends the server, once all is signed and covered by a checkpoint that others hold. */
  readonly close: () => Promise<void>
  /** A copy of the folder, as a thief found it. */
  readonly copy: () => string
  /** `pawl verify` with the first key and no memory, or that of who verified before. */
  readonly verified: (
    what: string,
    how?: { readonly more?: ReadonlyArray<string>; readonly state?: string }
  ) => Promise<Ended>
  readonly remove: () => void
}

const listOf = (answer: Answered) => answer.body["items"] as ReadonlyArray<Record<string, string>>

/** The size that a checkpoint covers. */
export const sizeOf = (checkpoint: string): number => Number(checkpoint.split("\n")[1] ?? "0")

const caller =
  (server: ServerProcess): Vault["call"] =>
  async (method, path, body, as = token) => {
    const response = await fetch(`${server.origin}${path}`, {
      method,
      headers: { authorization: `Bearer ${as}`, "content-type": "application/json" },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }

const challengeOf = (text: unknown): string => createHash("sha256").update(String(text)).digest("base64url")

/** Another person with a passkey, endorsed by the owner's. */
const approverOf = async (call: Vault["call"], origin: string) => {
  const organizationId = listOf(await call("GET", "/v1/organizations"))[0]?.["id"]
  const made = await call("POST", "/v1/users", { name: "Ben", organizationId })
  const { id } = made.body["user"] as { readonly id: string }
  const [owners, passkey] = [await Effect.runPromise(newPasskey(rpId)), await Effect.runPromise(newPasskey(rpId))]
  const enrol = ({ credential, publicKey }: Passkey, beside: object = {}) =>
    call("POST", "/v1/approvers", { credential, publicKey, rpId, ...beside })
  expect((await enrol(owners)).status).toBe(201)
  const asked = await enrol(passkey, { user: id })
  const endorsement = await Effect.runPromise(answerOf(owners, challengeOf(asked.body["text"]), origin))
  expect((await enrol(passkey, { user: id, endorsement })).status).toBe(201)
  return { token: String(made.body["token"]), passkey }
}

/** S0 and S1 are live, and the second approver is enrolled. */
export const openVault = async (): Promise<Vault> => {
  const [all, copies] = [temporaryFolder(), temporaryFolder()]
  const [folder, checkpoints] = [join(all.path, "data"), join(all.path, "checkpoints")]
  const environment = { PAWL_PROVENANCE: "enforce", PAWL_CHECKPOINT_FOLDER: checkpoints }
  const server = await startServer({ data: folder, environment })
  const { api } = server
  const call = caller(server)
  const origin = `http://${rpId}:${server.port}`
  const project = (await Flow.createProject(api, "vault", Flow.source("zero"))).id
  await Flow.liveApp(api, project, 0)
  const candidate: Vault["candidate"] = async (name) => {
    const change = await Flow.openChange(api, project, name)
    await Flow.edit(api, change, { "src/index.js": Flow.source(name)["src/index.js"]! })
    return Flow.gated(api, (await Flow.requestCandidate(api, change)).id)
  }
  const live: Vault["live"] = async ({ id }) => {
    const { generation } = await Flow.promote(api, id)
    expect((await Flow.released(api, project, generation)).status).toBe("deployed")
    return generation
  }
  await live(await candidate("one"))
  const shown = await pawl(["key", "show", "--data", folder], {})
  const keyid = /SHA256:[A-Za-z0-9+/]{43}/.exec(shown.output)?.[0] ?? ""
  const people = gitClient(join(all.path, "people"))
  let count = 0
  const verified: Vault["verified"] = (what, { more = [], state = join(copies.path, `state-${count++}`) } = {}) =>
    pawl(["verify", what, "--key", keyid, ...more], { XDG_STATE_HOME: state })
  const held = () => readFileSync(join(checkpoints, `${project}.checkpoint`), "utf8")
  return {
    folder,
    project,
    keyid,
    held,
    people,
    server,
    ben: await approverOf(call, origin),
    call,
    policy: async (fields) => {
      const answer = await call("PUT", `/v1/projects/${project}/policy`, { approvalRiskTiers: tiers, ...fields })
      expect(answer.status).toBe(200)
    },
    candidate,
    approve: async ({ changeId, id }, as, passkey) => {
      const path = `/v1/candidates/${id}/approval-challenge?decision=granted`
      const signed = async (with_: Passkey) =>
        Effect.runPromise(answerOf(with_, String((await call("GET", path, undefined, as)).body["challenge"]), origin))
      const beside = passkey === undefined ? {} : { passkey: await signed(passkey) }
      return call("POST", `/v1/changes/${changeId}/approve`, { candidateId: id, decision: "granted", ...beside }, as)
    },
    live,
    close: async () => {
      await Flow.until(
        () => verified(folder),
        ({ code }) => code === 0
      )
      await Flow.until(
        () => Promise.resolve(sizeOf(held())),
        (size) => size > 8
      )
      expect(await server.stop()).toBe(0)
    },
    copy: () => {
      const path = join(copies.path, `copy-${count++}`)
      cpSync(folder, path, { recursive: true })
      return path
    },
    verified,
    remove: () => {
      all.remove()
      copies.remove()
    }
  }
}

/** A clone of the Project that has its statements, once these and `main` are of one moment. */
export const fetched = async (vault: Vault, name: string): Promise<void> => {
  const { people, project, server } = vault
  expect((await people.clone(gitUrl(server.origin, project, token), name)).code).toBe(0)
  const whole = "refs/heads/main:refs/remotes/origin/main"
  await Flow.until(
    async () => {
      await people.run(name, ["fetch", "-q", "origin", whole, "refs/pawl/statements:refs/pawl/statements"])
      const { stdout } = await people.run(name, ["show", "refs/pawl/statements:checkpoint"])
      return sizeOf(stdout) > 8 && (await vault.verified(people.path(name))).code === 0
    },
    (isWhole) => isWhole
  )
}

/** Every tier, for a Policy. */
export const everyTier = tiers
