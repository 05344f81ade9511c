import { expect, it } from "vitest"
import { affordableDepth } from "@pawl/core/lane/Affordable"

const rich = { buildsLeft: 60, sandboxMsLeft: 18_000_000, medianMs: 60_000 }

it("predicts as deep as builds and sandbox time reach, once what every waiting entry needs is kept", () => {
  expect(affordableDepth(rich, 20)).toBe(40)
  expect(affordableDepth({ ...rich, buildsLeft: 25 }, 20)).toBe(5)
  expect(affordableDepth({ ...rich, sandboxMsLeft: 25 * 60_000 }, 20)).toBe(5)
  expect(affordableDepth({ ...rich, medianMs: 0, sandboxMsLeft: 1 }, 20)).toBe(40)
  expect(affordableDepth({ ...rich, buildsLeft: Number.POSITIVE_INFINITY }, 20)).toBe(280)
})

it("lets the first of the line go on while anything is left, and nobody when nothing is", () => {
  expect(affordableDepth({ ...rich, buildsLeft: 1 }, 20)).toBe(1)
  expect(affordableDepth({ ...rich, sandboxMsLeft: 1 }, 1)).toBe(1)
  expect(affordableDepth({ ...rich, buildsLeft: 0 }, 20)).toBe(0)
  expect(affordableDepth({ ...rich, sandboxMsLeft: 0 }, 1)).toBe(0)
})
