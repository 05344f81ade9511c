import { describe, expect, it } from "vitest"
import { filterFor } from "../../src/sandbox/SystemCalls.ts"

const allow = 0x7fff0000
const kill = 0x80000000
const errno = (number: number) => 0x00050000 + number

interface Call {
  readonly number: number
  readonly machine: number
  readonly first?: number
  readonly second?: number
}

/** Runs the filter as the kernel does. */
const judge = (filter: Uint8Array, { first = 0, machine, number, second = 0 }: Call): number => {
  const program = new DataView(filter.buffer)
  const fields = new Map([
    [0, number],
    [4, machine],
    [16, first],
    [24, second]
  ])
  let loaded = 0
  for (let at = 0; at < filter.length; at += 8) {
    const value = program.getUint32(at + 4, true)
    const code = program.getUint16(at, true)
    if (code === 0x06) return value
    if (code === 0x20) loaded = fields.get(value) ?? Number.NaN
    else {
      const holds = code === 0x15 ? loaded === value : code === 0x35 ? loaded >= value : (loaded & value) >>> 0 !== 0
      at += 8 * program.getUint8(at + (holds ? 2 : 3))
    }
  }
  return Number.NaN
}

const machines = [
  ["x64", 0xc000003e, { read: 0, execve: 59, socket: 41, clone: 56, ioctl: 16, keyctl: 250, ptrace: 101, mount: 165 }],
  [
    "arm64",
    0xc00000b7,
    { read: 63, execve: 221, socket: 198, clone: 220, ioctl: 29, keyctl: 219, ptrace: 117, mount: 40 }
  ]
] as const

describe.each(machines)("the filter of system calls for %s", (name, machine, calls) => {
  const filter = filterFor(name) ?? new Uint8Array()
  const say = (number: number, first = 0, second = 0) => judge(filter, { number, machine, first, second })

  it("refuses keyrings, tracing, mounts, io_uring and BPF, and lets programs run", () => {
    expect([calls.keyctl, calls.ptrace, calls.mount, 425, 430].map((number) => say(number))).toEqual(
      new Array(5).fill(errno(1))
    )
    expect([calls.read, calls.execve, 9999].map((number) => say(number))).toEqual(new Array(3).fill(allow))
  })

  it("lets threads and processes begin, and no namespace", () => {
    const thread = 0x3d0f00
    expect([thread, 17].map((flags) => say(calls.clone, flags))).toEqual([allow, allow])
    for (const space of [0x20000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000, 0x80])
      expect(say(calls.clone, space + 17)).toBe(errno(1))
    expect(say(435)).toBe(errno(38))
  })

  it("lets local, IP and netlink sockets be, and no other family", () => {
    for (let family = 0; family < 50; family += 1)
      expect(say(calls.socket, family)).toBe([1, 2, 10, 16].includes(family) ? allow : errno(97))
  })

  it("refuses to type into a terminal, and no other control of a device", () => {
    expect([0x5401, 0x5412, 0x541c].map((request) => say(calls.ioctl, 0, request))).toEqual([allow, errno(1), errno(1)])
  })

  it("ends a program that speaks another convention", () => {
    expect(judge(filter, { number: calls.read, machine: 0x40000003 })).toBe(kill)
    if (name === "x64") expect(say(0x40000000 + calls.keyctl)).toBe(errno(38))
  })
})

it("there is none for a machine that it was not written for", () => {
  expect(filterFor("riscv64")).toBeNull()
})
