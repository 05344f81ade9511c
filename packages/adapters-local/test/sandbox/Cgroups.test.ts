import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it } from "vitest"
import { cgroupOrNull, cgroupsAt, cpuMilliseconds, oomKills } from "../../src/sandbox/Cgroups.ts"

// Only the reading of the kernel's tables is tried here: folders stand in for hierarchies that this machine may lack.
const top = mkdtempSync(join(tmpdir(), "pawl-tests-cgroup-"))
afterAll(() => rmSync(top, { recursive: true }))
const hierarchy = () => mkdtempSync(join(top, "h-"))
const limits = { memoryBytes: 1000, processes: 7 }

describe("cgroups, version 2", () => {
  const mounted = (delegated: string, controllers: string) => {
    const root = hierarchy()
    mkdirSync(join(root, "a.slice/b.service"), { recursive: true })
    writeFileSync(join(root, delegated, "cgroup.subtree_control"), controllers)
    return {
      root,
      standing: { mounts: `30 20 0:26 / ${root} rw,nosuid - cgroup2 cgroup2 rw\n`, own: "0::/a.slice/b.service\n" }
    }
  }

  it("stand below the nearest folder that may limit its children", () => {
    const { root, standing } = mounted("a.slice", "cpu memory pids\n")
    const cgroups = cgroupsAt(standing)
    expect(cgroups).toMatchObject({ version: "v2", parents: [join(root, "a.slice")] })
    const job = cgroups && cgroupOrNull(cgroups, "job", limits)
    expect(readFileSync(join(root, "a.slice/job/memory.max"), "utf8")).toBe("1000")
    expect(readFileSync(join(root, "a.slice/job/pids.max"), "utf8")).toBe("7")
    writeFileSync(join(root, "a.slice/job/memory.events"), "low 0\noom 2\noom_kill 2\n")
    writeFileSync(join(root, "a.slice/job/cpu.stat"), "usage_usec 5000\nuser_usec 1\n")
    expect(job && [oomKills(job), cpuMilliseconds(job)]).toEqual([2, 5])
  })

  it("are none where no folder may", () => {
    expect(cgroupsAt(mounted("a.slice", "cpu\n").standing)).toBeNull()
  })
})

describe("cgroups, version 1", () => {
  it("stand in our own folder of each controller that there is", () => {
    const root = hierarchy()
    mkdirSync(join(root, "ours"))
    const cgroups = cgroupsAt({
      mounts: `30 20 0:26 / ${root} rw - cgroup cgroup rw,memory\n31 20 0:27 / ${root}/none rw - cgroup cgroup rw,pids\n`,
      own: "4:memory:/ours\n3:name=systemd:/\n0::/\n"
    })
    expect(cgroups).toMatchObject({ version: "v1", parents: [join(root, "ours")] })
    const job = cgroups && cgroupOrNull(cgroups, "job", limits)
    expect(readFileSync(join(root, "ours/job/memory.limit_in_bytes"), "utf8")).toBe("1000")
    expect(job).toMatchObject({ processes: null, cpu: null })
    writeFileSync(join(root, "ours/job/memory.oom_control"), "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n")
    expect(job && oomKills(job)).toBe(1)
  })

  it("are taken as none when the kernel refuses them", () => {
    const cgroups = cgroupsAt({
      mounts: `30 20 0:26 / ${hierarchy()} rw - cgroup cgroup rw,memory\n`,
      own: "4:memory:/\n"
    })
    expect(cgroups && cgroupOrNull(cgroups, "a/b/c", limits)).toBeNull()
  })
})
