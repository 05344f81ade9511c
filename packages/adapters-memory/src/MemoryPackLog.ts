/** `PackLog` in memory. */
import { Effect } from "effect"
import { compareCodePoints } from "@pawl/core/primitives/CodePoints"
import { Limits } from "@pawl/core/primitives/Limits"
import { nowMillis } from "@pawl/core/primitives/Time"
import {
  type HeldPacks,
  isCrowded,
  type LoggedPack,
  type PackedRepository,
  type PackLog
} from "@pawl/core/project/PackLog"
import type { RepositoryRef } from "@pawl/core/project/Repositories"
import type { MemoryPacks, MemoryState } from "./MemoryState.ts"

const keyOf = ({ fork, project }: RepositoryRef): string => `${project}\n${fork ?? ""}`

const refOf = ({ fork, project }: MemoryPacks): RepositoryRef => (fork === null ? { project } : { project, fork })

const standing = ({ born, main, packs, through }: MemoryPacks): Omit<PackedRepository, "packs"> => {
  const hot = packs.filter(({ isBase }) => !isBase)
  const hotBytes = hot.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  return { born, main, through, hotPacks: hot.length, hotBytes }
}

const trash = (state: MemoryState, projectId: string, packs: ReadonlyArray<LoggedPack>, now: number): void => {
  for (const { object } of packs)
    if (object !== null) state.trash.set(object, { projectId, due: now + Limits.packGraceMs })
}

const append =
  (state: MemoryState): PackLog["Service"]["append"] =>
  ({ born, main, pack, ref }) =>
    Effect.sync(() => {
      const there = state.packs.get(keyOf(ref))
      if (there?.born !== born || (main !== undefined && there.main !== main.from)) return null
      const through = there.through + (pack === null ? 0 : 1)
      const stands = {
        ...there,
        through,
        main: main === undefined ? there.main : main.to,
        packs: pack === null ? there.packs : [...there.packs, { ...pack, through, isBase: false }]
      }
      state.packs.set(keyOf(ref), stands)
      return standing(stands)
    })

const replace =
  (state: MemoryState): PackLog["Service"]["replace"] =>
  ({ base, born, ref, through }) =>
    Effect.map(nowMillis, (now) => {
      const there = state.packs.get(keyOf(ref))
      const isOwn = there?.packs.some((pack) => pack.through === through && !pack.isBase) === true
      if (there?.born !== born || !isOwn) return false
      const gone = there.packs.filter((pack) => pack.through <= through)
      trash(state, ref.project, gone, now)
      const packs = [{ ...base, through, isBase: true }, ...there.packs.filter((pack) => !gone.includes(pack))]
      state.packs.set(keyOf(ref), { ...there, packs })
      return true
    })

/** `PackLog` over a store in memory, by the program's clock. */
export const make = (state: MemoryState): PackLog["Service"] => {
  const ofProject = (project: string) => Array.from(state.packs.values()).filter((each) => each.project === project)
  const since = (ref: RepositoryRef, held: HeldPacks | null): PackedRepository | null => {
    const there = state.packs.get(keyOf(ref))
    if (there === undefined) return null
    const after = held?.born === there.born ? held.through : 0
    return { ...standing(there), packs: there.packs.filter(({ through }) => through > after) }
  }
  return {
    standing: (ref) =>
      Effect.sync(() => {
        const there = state.packs.get(keyOf(ref))
        return there === undefined ? null : standing(there)
      }),
    since: (ref, held) => Effect.sync(() => since(ref, held)),
    sinceEach: (wanted) => Effect.sync(() => wanted.map((each) => since(...each))),
    open: (ref, born) =>
      Effect.sync(() => {
        if (ref.fork !== undefined && !state.packs.has(keyOf({ project: ref.project }))) return false
        if (!state.packs.has(keyOf(ref)))
          state.packs.set(keyOf(ref), {
            project: ref.project,
            fork: ref.fork ?? null,
            born,
            main: null,
            through: 0,
            packs: []
          })
        return true
      }),
    append: append(state),
    replace: replace(state),
    drop: (ref) =>
      Effect.map(nowMillis, (now) => {
        for (const each of ofProject(ref.project)) {
          if (ref.fork !== undefined && each.fork !== ref.fork) continue
          trash(state, ref.project, each.packs, now)
          state.packs.delete(keyOf(refOf(each)))
        }
      }),
    crowded: (limit) =>
      Effect.sync(() =>
        Array.from(state.packs.values())
          .filter((each) => isCrowded(standing(each)))
          .map(refOf)
          .sort((a, b) => compareCodePoints(keyOf(a), keyOf(b)))
          .slice(0, limit)
      ),
    kept: (projectId, objects) =>
      Effect.sync(() => {
        const named = new Set(ofProject(projectId).flatMap(({ packs }) => packs.map(({ object }) => object)))
        return new Set(objects.filter((object) => named.has(object) || state.trash.has(object)))
      }),
    dueTrash: (limit) =>
      Effect.map(nowMillis, (now) =>
        Array.from(state.trash)
          .filter(([, { due }]) => due <= now)
          .sort(([, a], [, b]) => a.due - b.due)
          .slice(0, limit)
          .map(([object, { projectId }]) => ({ projectId, object }))
      ),
    forgetTrash: (objects) =>
      Effect.sync(() => {
        for (const { object } of objects) state.trash.delete(object)
      })
  }
}
