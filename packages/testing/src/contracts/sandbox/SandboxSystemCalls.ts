/** Ways out of a sandbox through the kernel itself: system calls that no honest check needs. */
import { expect, it } from "vitest"
import { Effect } from "effect"
import { Sandbox } from "@pawl/core/verification/Sandbox"
import { jobOf, runJob, type RunPromise, textOf } from "./SandboxJobs.ts"

interface SystemCall {
  readonly title: string
  /** A program that prints `denied` when it is. */
  readonly perl: string
}

/**
 * Makes a call by its number on x86_64 and on aarch64, in Perl, which every Debian has. It is denied when the kernel says
 * EPERM, EACCES, ENOSYS or EAFNOSUPPORT. Any other error, as for a bad pointer, means that the kernel was ready to do it.
 */
const call = (title: string, x64: number, arm64: number, parameters: string, before = ""): SystemCall => ({
  title,
  perl: `use POSIX; sub text { my $copy = shift; $copy }
my $number = (POSIX::uname())[4] eq "x86_64" ? ${x64} : ${arm64};
${before}
my $result = syscall($number, ${parameters}); my $errno = $! + 0;
print $result == -1 && grep({ $errno == $_ } 1, 13, 38, 97) ? "denied" : "ESCAPED $result $errno", "\n";
`
})

const zeros = (bytes: number) => `my $zeros = "\\0" x ${bytes};`

/** A program of 64 bits that calls the kernel as one of 32 bits would: exit(42). */
const oldConvention = [
  "7f454c46020101000000000000000000",
  "02003e00010000007800400000000000",
  "40000000000000000000000000000000",
  "00000000400038000100000000000000",
  "01000000050000000000000000000000",
  "00004000000000000000400000000000",
  "84000000000000008400000000000000",
  "0010000000000000",
  "b801000000bb2a000000cd80"
].join("")

/** Every call that is tried, with its number on x86-64 and on arm64, and its arguments. */
export const systemCalls: ReadonlyArray<SystemCall> = [
  call("cannot find the keyring of a session", 250, 219, "0, -3, 0, 0, 0"),
  call("cannot add a key to a keyring", 248, 217, `text("user"), text("pawl"), text("x"), 1, -3`),
  call("cannot ask for a key of the machine", 249, 218, `text("user"), text("pawl"), 0, -3`),
  call("cannot load a program into the kernel (bpf)", 321, 280, "0, $zeros, 72", zeros(128)),
  call("cannot read the machine's performance counters", 298, 241, "$zeros, 0, -1, -1, 0", zeros(128)),
  call("cannot set up io_uring, which passes filters by", 425, 425, "8, $zeros", zeros(128)),
  call("cannot be traced", 101, 117, "0, 0, 0, 0"),
  call("cannot read the memory of another process", 310, 270, "getppid(), 0, 0, 0, 0, 0"),
  call("cannot take an open file of another process", 438, 438, "$pidfd, 0, 0", "my $pidfd = syscall(434, 1, 0);"),
  call("cannot compare what other processes hold", 312, 272, "$$, $$, 0, 0, 0"),
  call("cannot open a file by its handle, past every mount", 304, 265, "-100, $zeros, 0", zeros(128)),
  call("cannot stop the kernel at a page of its own (userfaultfd)", 323, 282, "1"),
  call("cannot make a file system", 430, 430, `text("tmpfs"), 0`),
  call("cannot take a copy of the mounts", 428, 428, `-100, text("/"), 1`),
  call("cannot change a mount's attributes", 442, 442, `-100, text("/"), 0, $zeros, 32`, zeros(128)),
  call(
    "cannot join a namespace through an open file",
    308,
    268,
    "fileno($space), 0",
    `open my $space, "<", "/proc/1/ns/mnt" or open $space, "<", "/dev/null";`
  ),
  call("cannot fork into a namespace", 56, 220, "0x10000000 | 17, 0, 0, 0, 0"),
  call(
    "cannot fork into a namespace by the newer call",
    435,
    435,
    "$flags, 64",
    `my $flags = pack "Q8", 0x10000000, (0) x 3, 17, (0) x 3;`
  ),
  call("cannot open a socket to the hypervisor", 41, 198, "40, 1, 0"),
  call("cannot open a socket to the kernel's ciphers", 41, 198, "38, 5, 0"),
  call("cannot open a socket for raw packets", 41, 198, "17, 3, 0"),
  call("cannot open a raw socket", 41, 198, "2, 3, 1"),
  call("cannot open a socket to the kernel's key store", 41, 198, "15, 3, 2"),
  call("cannot load a module into the kernel", 313, 273, `0, text(""), 0`),
  call("cannot replace the kernel", 246, 104, "0, 0, 0, 0"),
  call("cannot read the kernel's log", 103, 116, "10, 0, 0"),
  call("cannot hide memory from the one who counts it", 447, 447, "0"),
  call("cannot type into a terminal", 16, 29, `fileno($null), 0x5412, text("x")`, `open my $null, "<", "/dev/null";`),
  call("cannot call the kernel by another convention (x32)", 0x40000000 + 250, 219, "0, -3, 0, 0, 0"),
  {
    title: "cannot call the kernel by the convention of 32 bits",
    perl: `use POSIX; my $old = "old"; open my $file, ">", $old; print $file pack "H*", "${oldConvention}"; close $file; chmod 0755, $old;
print((POSIX::uname())[4] eq "x86_64" && system("./$old") >> 8 == 42 ? "ESCAPED" : "denied", "\n");
`
  }
]

/** Declares a test for each; one job makes them all. */
export const checkSystemCalls = (run: RunPromise): void => {
  const files = Object.fromEntries(systemCalls.map(({ perl }, index) => [`${index}.pl`, perl]))
  const command = systemCalls.map((_, index) => `echo "${index} $(perl ${index}.pl 2>&1)"`).join("; ")
  let tried: Promise<ReadonlyArray<string>> | undefined
  const lines = () => (tried ??= run(runJob(jobOf(command, { files }))).then((result) => textOf(result).split("\n")))
  for (const [index, { title }] of systemCalls.entries())
    it(title, async ({ skip }) => {
      const { guarantees } = await run(Effect.flatMap(Sandbox, (sandbox) => sandbox.isolation))
      skip(!guarantees.includes("system-calls-filtered"), "needs a filter of system calls")
      expect((await lines())[index]).toBe(`${index} denied`)
    })
}
