/** What signed statements cost: to verify, to write, to sign, and to look at before a row is served. */
import { join } from "node:path"
import type { ReleaseTrustShape } from "@pawl/core/provenance/TrustedKeys"
import { figure, type Measured, ratioAtLeast, ratioAtMost, type RunOptions, valueAtMost } from "../Figure.ts"
import * as CheckedRows from "../parts/CheckedRows.ts"
import * as Front from "../parts/Front.ts"
import * as PairedPromotions from "../parts/PairedPromotions.ts"
import * as ProvenPack from "../parts/ProvenPack.ts"
import * as SignedPromotions from "../parts/SignedPromotions.ts"
import * as StatedPromotions from "../parts/StatedPromotions.ts"
import * as StatedRows from "../parts/StatedRows.ts"
import { inParts } from "../Parts.ts"
import { across, inTurn, lastly, median } from "../Rounds.ts"

/** How soon a promotion is to be signed. */
const signedWithinMs = 50
/** Differences of a few hundredths are asked for: fewer pairs do not show them. */
const leastPairs = 7
/** Requests per second of one pair differ by a fifth, and three hundredths are asked for. */
const leastServingPairs = 25
const loadMs = Number(process.env["PAWL_BENCH_LOAD_MS"] ?? 1000)
const connections = 16

const walls = (all: ReadonlyArray<ProvenPack.Spent>) => all.map(({ wall }) => wall)
const cpus = (all: ReadonlyArray<ProvenPack.Spent>) => all.map(({ cpu }) => cpu)
const told = (values: ReadonlyArray<number>, digits = 0): string => median(values).toFixed(digits)

/** The pack of 10,000 generations: quickly, and every signature. */
const verifying = async (folder: string, { rounds, say }: RunOptions): Promise<Measured> => {
  const [pack, data] = [join(folder, "pack"), join(folder, "data")]
  say(`making ${ProvenPack.generations} generations`)
  const statements = await ProvenPack.make(pack, data)
  const [signatures, bare] = [await ProvenPack.signaturesOf(pack), await ProvenPack.bareChecks(pack)]
  const sides = {
    web: () => ProvenPack.spent(bare.web),
    signatures: () => ProvenPack.spent(signatures),
    node: () => ProvenPack.spent(bare.node),
    quick: () => ProvenPack.spent(() => ProvenPack.quickly(pack)),
    inData: () => ProvenPack.spent(() => ProvenPack.quicklyInData(data, pack))
  }
  const runs = await inTurn<keyof typeof sides, ProvenPack.Spent>(rounds, sides, say)
  const against = (of: (all: ReadonlyArray<ProvenPack.Spent>) => ReadonlyArray<number>) => ({
    value: median(of(runs.signatures)),
    unit: "ms",
    floorValue: median(of(runs.web)),
    ratio: across(of(runs.signatures), of(runs.web)),
    target: ratioAtMost(1.3)
  })
  const quickly = (name: string, side: "quick" | "inData") =>
    figure({
      name,
      value: median(walls(runs[side])),
      unit: "ms",
      floor: "the bare checks of all its signatures",
      floorValue: median(walls(runs.web)),
      ratio: across(walls(runs[side]), walls(runs.web)),
      target: valueAtMost(2000, "ms")
    })
  return {
    figures: [
      quickly("verify-quick", "quick"),
      quickly("verify-quick-data", "inData"),
      figure({ name: "verify-signatures", floor: "the same checks bare, through Web Crypto", ...against(walls) }),
      figure({ name: "verify-signatures-cpu", floor: "CPU of the same checks bare", ...against(cpus) })
    ],
    notes: [
      `${ProvenPack.generations} generations have ${statements} statements. \`--quick\` takes ${told(cpus(runs.quick))} ms of CPU.`,
      `The same checks bare through \`node:crypto\`: ${told(walls(runs.node))} ms, ${told(cpus(runs.node))} ms of CPU.`
    ]
  }
}

/** Promotion commits, one with its statement and the same without in turn. */
const promoting = async (folder: string, { rounds, say }: RunOptions): Promise<Measured> => {
  const pairs = Math.max(rounds, leastPairs)
  const runs = await PairedPromotions.rounds(folder, StatedPromotions.ways, pairs, say)
  const { bare, stated } = StatedPromotions.sizes()
  const more = `${stated.writes - bare.writes} rows, of them ${stated.statements} statement, ${stated.commands - bare.commands} command and 1 read`
  return {
    figures: [
      figure({
        name: "promotion-stated",
        floor: "the same commit without its statement",
        ...PairedPromotions.against(runs, "wall"),
        target: ratioAtMost(1.05)
      }),
      figure({
        name: "promotion-stated-cpu",
        floor: "CPU of the same without its statement",
        ...PairedPromotions.against(runs, "cpu")
      })
    ],
    notes: [`A promotion owes ${more} more. ${pairs} rounds of ${PairedPromotions.perRound} pairs, one by one.`]
  }
}

/** A real server: a promotion's signature, and a bad release that is taken back while the signer is dead. */
const signing = async (folder: string, { rounds, say }: RunOptions): Promise<Measured> => {
  say("promotions of a server that signs")
  const signed = await SignedPromotions.signedAfter(folder, Math.max(rounds, leastPairs))
  say("restores with a dead signer")
  const { dead, there } = await SignedPromotions.restoredAfter(folder, rounds)
  return {
    figures: [
      figure({
        name: "promotion-signed",
        value: median(signed),
        unit: "ms",
        floor: "what is allowed",
        floorValue: signedWithinMs,
        ratio: median(signed) / signedWithinMs,
        target: valueAtMost(signedWithinMs, "ms")
      }),
      figure({
        name: "restore-signer-dead",
        value: median(dead),
        unit: "ms",
        floor: "the same while it answers",
        floorValue: median(there),
        ratio: across(dead, there),
        target: valueAtMost(1000, "ms")
      })
    ],
    notes: [
      `A signature is there ${told(signed)} ms after the commit of its promotion, at most ${Math.max(...signed).toFixed(0)} ms in ${signed.length}. A restore is told from the row that points at what fails to the row that points back: its probes are in it, 200 ms apart.`
    ]
  }
}

/** Cold rows, one after the other. */
const looking = async (folder: string, { rounds, say }: RunOptions): Promise<Measured> => {
  const { close, round } = await CheckedRows.prepared(folder)
  const sides = { rows: round }
  const runs = await lastly(inTurn<keyof typeof sides, CheckedRows.Looked>(rounds, sides, say), close)
  const [checks, bare] = [runs.rows.map((each) => each.checks), runs.rows.map((each) => each.bare)]
  return {
    figures: [
      figure({
        name: "cold-row",
        value: median(walls(checks)),
        unit: "ms",
        floor: "the bare check of its signature",
        floorValue: median(walls(bare)),
        ratio: across(walls(checks), walls(bare)),
        target: valueAtMost(0.2, "ms")
      }),
      figure({
        name: "cold-row-reads",
        value: median(runs.rows.map(({ reads }) => reads)),
        unit: "reads",
        floor: "rows that were looked at",
        floorValue: CheckedRows.rowsPerRound,
        ratio: median(runs.rows.map(({ reads }) => reads)) / CheckedRows.rowsPerRound,
        target: valueAtMost(0, "reads")
      })
    ],
    notes: [`A cold row takes ${told(cpus(checks), 3)} ms of CPU, its bare check ${told(cpus(bare), 3)} ms.`]
  }
}

const source = `export default { fetch: () => new Response("hello", { headers: { "content-type": "text/plain" } }) }\n`

/** One warm app through two fronts, of which one looks at statements. */
const serving = async (folder: string, { rounds, say }: RunOptions): Promise<Measured> => {
  const pairs = Math.max(rounds, leastServingPairs)
  const keys = await StatedRows.open(join(folder, "front-keys"))
  const open = async (name: string, trust?: ReleaseTrustShape) => {
    const front = await Front.open(join(folder, name), trust)
    const version = await front.install(Front.bundleOf(source, "2"))
    front.rows.list = [(await keys.stated(Front.pointerTo(version("production")), 7)).row]
    return front
  }
  const [off, enforce] = [await open("off"), await open("enforce", keys.trust)]
  const load = (port: number) => () => Front.load(port, { connections, ms: loadMs })
  const sides = { off: load(off.port), enforce: load(enforce.port) }
  const runs = await lastly(inTurn<keyof typeof sides, Front.Loaded>(pairs, sides, say), () =>
    Promise.all([off.dispose(), enforce.dispose(), keys.close()])
  )
  const rate = (side: keyof typeof sides) => runs[side].map(({ perSecond }) => perSecond)
  return {
    figures: [
      figure({
        name: "requests-enforced",
        value: median(rate("enforce")),
        unit: "requests/s",
        floor: "the same front with `off`",
        floorValue: median(rate("off")),
        ratio: across(rate("enforce"), rate("off")),
        target: ratioAtLeast(0.97)
      })
    ],
    notes: [`${pairs} pairs of ${loadMs} ms each over ${connections} connections, \`off\` and \`enforce\` in turn.`]
  }
}

export const bench = inParts([
  [["cold-row", "cold-row-reads"], looking],
  [["promotion-stated", "promotion-stated-cpu"], promoting],
  [["verify-quick", "verify-quick-data", "verify-signatures", "verify-signatures-cpu"], verifying],
  [["requests-enforced"], serving],
  [["promotion-signed", "restore-signer-dead"], signing]
])
