/** Repositories without a folder of their own: what a machine without a copy waits for, and what a merge takes more. */
import { join } from "node:path"
import { GitPlace } from "@pawl/adapters-local/repositories/GitPlace"
import * as GitRepositories from "@pawl/adapters-local/repositories/GitRepositories"
import { layerSpawner } from "@pawl/adapters-local/spawner/Processes"
import { Effect, Layer, ManagedRuntime } from "effect"
import { type Bench, figure, ratioAtMost } from "../Figure.ts"
import { withFolder } from "../parts/Folder.ts"
import * as GitServer from "../parts/GitServer.ts"
import * as PackLine from "../parts/PackLine.ts"
import { gitDirOf } from "../parts/RawGit.ts"
import { across, inTurn, lastly, median, timed } from "../Rounds.ts"

const merges = Number(process.env["PAWL_BENCH_MERGES"] ?? 2000)
/** Merges of each side in one round. */
const each = 10
/** Where the numbers of those begin: canonical's own come before. */
const farOff = 100_000

interface World {
  readonly line: Awaited<ReturnType<typeof PackLine.open>>
  readonly folder: string
  readonly rounds: number
  readonly say: (progress: string) => void
}

const mirrorOf = (folder: string, name: string): string => join(folder, `${name}.git`)

/** A machine without a copy, and a clone of the same repository, in turn. */
const coldBeside = async ({ folder, line, rounds, say }: World, name: string) => {
  const mirror = mirrorOf(folder, name)
  await line.mirrored(join(folder, `${name}-mirror`), mirror)
  const server = await GitServer.serve(mirror)
  const sides = {
    ours: (round: number) => line.cold(join(folder, `${name}-cold-${round}`)),
    clone: (round: number) =>
      timed(() => line.git("clone", "-q", "--bare", server.url, join(folder, `${name}-clone-${round}`)))
  }
  const measured = inTurn<keyof typeof sides, number>(rounds, sides, (progress) => say(`${name}: ${progress}`))
  return lastly(measured, server.close)
}

/** Merges on a machine with copies, and merges in a folder with the same history, in turn. */
const mergesBeside = async ({ folder, line, rounds, say }: World, tip: string, mirror: string) => {
  const git = GitRepositories.layer({ directory: join(folder, "one-folder") })
  const runtime = ManagedRuntime.make(Layer.provideMerge(git, layerSpawner(folder)))
  const numbers = (round: number) => farOff + round * each
  const measured = async () => {
    const { root } = await runtime.runPromise(Effect.andThen(PackLine.seeded, GitPlace))
    await line.git("--git-dir", gitDirOf(root, { project: PackLine.project }), "fetch", "-q", mirror, "+main:main")
    const sides = {
      ours: async (round: number) =>
        median(
          await line.on(join(folder, `warm-${round}`), PackLine.warm(PackLine.mergeTimes(numbers(round), each, tip)))
        ),
      folder: async (round: number) =>
        median(await runtime.runPromise(PackLine.warm(PackLine.mergeTimes(numbers(round), each, tip))))
    }
    return inTurn<keyof typeof sides, number>(rounds, sides, (progress) => say(`merges: ${progress}`))
  }
  return lastly(measured(), () => runtime.dispose())
}

const against = (ours: ReadonlyArray<number>, floor: ReadonlyArray<number>) => ({
  value: median(ours),
  unit: "ms",
  floorValue: median(floor),
  ratio: across(ours, floor)
})

export const bench: Bench = ({ rounds, say }) =>
  withFolder(async (folder) => {
    const line = await PackLine.open(folder)
    const world: World = { line, folder, rounds, say }
    const measure = async () => {
      const made = Effect.flatMap(PackLine.seeded, (first) => PackLine.movedOn(first, merges, say))
      const tip = await line.on(join(folder, "made"), made)
      const hot = await coldBeside(world, "hot")
      const warm = await mergesBeside(world, tip, mirrorOf(folder, "hot"))
      await line.on(join(folder, "compacting"), PackLine.compacted)
      return { hot, warm, base: await coldBeside(world, "base") }
    }
    const { base, hot, warm } = await lastly(measure(), line.close)
    const clone = "`git clone --bare` of the same, in one pack, over loopback"
    return {
      figures: [
        figure({ name: "cold-hot", floor: clone, ...against(hot.ours, hot.clone), target: ratioAtMost(1) }),
        figure({ name: "cold-base", floor: clone, ...against(base.ours, base.clone), target: ratioAtMost(0.5) }),
        figure({
          name: "merge-warm",
          floor: "the same merge in one folder, with the same history",
          ...against(warm.ours, warm.folder),
          target: ratioAtMost(1.6)
        })
      ],
      notes: [
        `${PackLine.fileCount} files and ${merges} merges, on Postgres and radosgw. \`hot\`: a row for each merge; \`base\`: one base in the bucket. ${each} merges of each side in a round.`
      ]
    }
  })
