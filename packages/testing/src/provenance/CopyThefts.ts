/** What is taken away from a copy, or damaged in it, and what an older copy is beside what somebody has seen. */
import { execFileSync } from "node:child_process"
import { appendFileSync, chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Pack } from "./Packs.ts"
import { newLogKey, signedNote } from "./SceneKeys.ts"
import type { Tampering } from "./Tampering.ts"
import { changeRecord } from "./Thieves.ts"

const anyRoot = Buffer.alloc(32)

const gitIn = (folder: string, args: ReadonlyArray<string>, input = ""): string =>
  execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", "--git-dir", join(folder, "repo.git"), ...args], {
    encoding: "utf8",
    input,
    stdio: ["pipe", "pipe", "ignore"]
  }).trim()

/** Publishes one file in `refs/pawl/statements`, as files of the repository. Answers the ids of its blob and its commit. */
const published = (folder: string) => {
  const blob = gitIn(folder, ["hash-object", "-w", "--stdin"], "what was published\n".repeat(20))
  const tree = gitIn(folder, ["mktree"], `100644 blob ${blob}\tcheckpoint\n`)
  const commit = gitIn(folder, ["commit-tree", tree, "-m", "published"])
  gitIn(folder, ["update-ref", "refs/pawl/statements", commit])
  return { blob, commit }
}

/** Changes the byte in the middle of an object that lies in a file of its own. */
const damage = (folder: string, id: string): void => {
  const path = join(folder, "repo.git", "objects", id.slice(0, 2), id.slice(2))
  const bytes = readFileSync(path)
  const middle = bytes.length >> 1
  bytes[middle] = (bytes[middle] ?? 0) ^ 1
  chmodSync(path, 0o600)
  writeFileSync(path, bytes)
}

const thefts: ReadonlyArray<Omit<Tampering, "number">> = [
  {
    name: "a damaged file among the statements that git publishes",
    code: "pack_unreadable",
    folder: (folder) => damage(folder, published(folder).blob)
  },
  {
    name: "a damaged commit of the statements that git publishes",
    code: "pack_unreadable",
    folder: (folder) => damage(folder, published(folder).commit)
  },
  {
    name: "a repository that is empty",
    code: "commit_missing",
    folder: (folder) => {
      rmSync(join(folder, "repo.git"), { recursive: true })
      execFileSync("git", ["init", "--bare", "-q", join(folder, "repo.git")])
    }
  },
  {
    name: "an older copy, where somebody has seen a checkpoint by a later key of the log",
    code: "statements_missing",
    change: (pack, { origin }) =>
      void (pack.seen = signedNote(newLogKey(), origin, pack.statements.length + 1, anyRoot))
  },
  {
    name: "an older history of keys, where somebody has seen a checkpoint by a later key of the log",
    code: "statements_missing",
    change: (pack) =>
      void (pack.seen = signedNote(newLogKey(), "pawl.example/log/instance", pack.keys.length + 1, anyRoot))
  },
  {
    name: "a checkpoint that was seen, by a strange key, of what is here",
    code: "checkpoint_signature",
    change: (pack, { origin }) => void (pack.seen = signedNote(newLogKey(), origin, pack.statements.length, anyRoot))
  },
  {
    name: "no checkpoint, though one was published",
    code: "checkpoint_unreadable",
    change: (pack) => void (pack.checkpoint = "")
  },
  {
    name: "nothing served of what was released",
    code: "live_mismatch",
    change: ({ live }) => void Object.assign(live, { bundle: null, generation: null, assets: {} })
  },
  {
    name: "a row that is no statement",
    code: "statement_unreadable",
    change: (pack) => void (pack.statements[11] = "")
  }
]

/** Something that no program ends to read. */
const pipeAt = (path: string): void => {
  rmSync(path)
  execFileSync("mkfifo", [path])
}

/** Written as a statement, entry 2 says another number. */
const entryAs = (text: string) => (pack: Pack) => {
  const { payload, ...rest } = JSON.parse(pack.statements[2] ?? "")
  const said = Buffer.from(payload, "base64").toString().replace('"entry":2', `"entry":${text}`)
  pack.statements[2] = JSON.stringify({ ...rest, payload: Buffer.from(said).toString("base64") })
}

const head = (pack: Pack, origin: string, size: number): void =>
  void (pack.heads = { [origin]: { size, root: anyRoot.toString("base64") } })

/** What one program might read so, and the other otherwise. */
const odd: ReadonlyArray<Omit<Tampering, "number">> = [
  { name: "an entry that is true", code: "statement_unreadable", change: entryAs("true") },
  { name: "an entry that is written as a fraction", code: "signature_invalid", change: entryAs("2.0") },
  {
    name: "a signer that has signed half an entry",
    code: "pack_unreadable",
    change: (pack, { origin }) => head(pack, origin, 1.5)
  },
  {
    name: "a signer that has signed less than nothing",
    code: "pack_unreadable",
    change: (pack, { origin }) => head(pack, origin, -1)
  },
  {
    name: "a mark of nobody beside that of the log",
    code: "checkpoint_unreadable",
    change: (pack) => void (pack.checkpoint += "—  AAAA\n")
  },
  {
    name: "a pipe in the place of an object",
    code: "pack_unreadable",
    folder: (folder, { pack }) => pipeAt(join(folder, "objects", [...pack.objects.keys()].sort()[0] ?? ""))
  },
  {
    name: "a pipe in the place of the statements",
    code: "pack_unreadable",
    folder: (folder) => pipeAt(join(folder, "statements.intoto.jsonl"))
  },
  {
    name: "a pipe in the place of the checkpoint",
    code: "pack_unreadable",
    folder: (folder) => pipeAt(join(folder, "checkpoint"))
  },
  {
    name: "a pipe in the place of a commit",
    code: "pack_unreadable",
    folder: (folder) => {
      const { commit } = published(folder)
      pipeAt(join(folder, "repo.git", "objects", commit.slice(0, 2), commit.slice(2)))
    }
  }
]

const inRepository = (folder: string, name: string): string => join(folder, "repo.git", name)

/** What cannot be read, or only by way of elsewhere: all else is looked at nevertheless. */
const unread: ReadonlyArray<Omit<Tampering, "number">> = [
  {
    name: "a pipe in the place of what is live, beside a Policy that is another one",
    code: "pack_unreadable",
    change: (pack) => void changeRecord(pack, "policyVersion 2", (row) => row.set("approvalRiskTiers", [])),
    folder: (folder, { pack }) => pipeAt(join(folder, "objects", pack.live.bundle ?? ""))
  },
  {
    name: "a folder in the place of a file of the app, and the row at another place",
    code: "pack_unreadable",
    change: (pack) => void (pack.live.incarnation = 7),
    folder: (folder, { pack }) => {
      const path = join(folder, "objects", pack.live.assets["a.txt"] ?? "")
      rmSync(path)
      mkdirSync(path)
    }
  },
  {
    name: "a pack whose maker could not read all of it",
    code: "pack_unreadable",
    change: (pack) => {
      pack.statements.length -= 5
      pack.trust.unread = [{ part: "pawl.db", reason: "database disk image is malformed" }]
    }
  },
  {
    name: "a pipe in the place of HEAD",
    code: "pack_unreadable",
    folder: (folder) => pipeAt(inRepository(folder, "HEAD"))
  },
  {
    name: "a pipe in the place of a ref",
    code: "pack_unreadable",
    folder: (folder) => {
      gitIn(folder, ["pack-refs", "--all"])
      mkdirSync(inRepository(folder, "refs/heads"), { recursive: true })
      execFileSync("mkfifo", [inRepository(folder, "refs/heads/main")])
    }
  },
  {
    name: "a link in a repository",
    code: "pack_unreadable",
    folder: (folder) => symlinkSync("/", inRepository(folder, "refs/away"))
  },
  {
    name: "a repository that borrows objects of elsewhere",
    code: "pack_unreadable",
    folder: (folder) => {
      mkdirSync(inRepository(folder, "objects/info"), { recursive: true })
      writeFileSync(inRepository(folder, "objects/info/alternates"), "../../elsewhere\n")
    }
  },
  {
    name: "a repository whose settings stand elsewhere",
    code: "pack_unreadable",
    folder: (folder) => appendFileSync(inRepository(folder, "config"), "[include]\n\tpath = /dev/zero\n")
  }
]

/** Those, numbered from here on. */
export const unreadThefts = (first: number): ReadonlyArray<Tampering> =>
  unread.map((theft, index) => ({ ...theft, number: first + index }))

/** Those of files that are none and of values that are odd, numbered from here on. */
export const oddThefts = (first: number): ReadonlyArray<Tampering> =>
  odd.map((theft, index) => ({ ...theft, number: first + index }))

/** All of them, numbered from here on. */
export const copyThefts = (first: number): ReadonlyArray<Tampering> =>
  thefts.map((theft, index) => ({ ...theft, number: first + index }))
