/**
 * A filter of system calls (seccomp, classic BPF, put together here): what namespaces leave open is closed by it.
 * Keyrings, io_uring, BPF, performance counters, ptrace, mounts, new namespaces, and every family of sockets but local,
 * IP and netlink ones: AF_VSOCK, for one, talks to the hypervisor from any network namespace.
 *
 * It is a second wall: the system calls that programs and workerd need pass, unheard-of numbers as well.
 */
import { existsSync } from "node:fs"
import { endianness } from "node:os"
import { findProgram } from "./Toolchain.ts"

interface Machine {
  /** `AUDIT_ARCH_…` of linux/audit.h. A call in another convention (32 bits) ends the process. */
  readonly audit: number
  readonly numbers: Readonly<Record<string, number>>
  /** Calls through the x32 convention have this bit set. */
  readonly x32Bit: number | null
}

/** `name=number …` as a record. */
const numbered = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    text
      .trim()
      .split(/\s+/)
      .map((pair) => pair.split("="))
      .map(([name = "", number]) => [name, Number(number)])
  )

/** The same number everywhere: all that were added since Linux 5.1. */
const sinceThen = `
  io_uring_setup=425 io_uring_enter=426 io_uring_register=427 open_tree=428 move_mount=429 fsopen=430 fsconfig=431
  fsmount=432 fspick=433 clone3=435 pidfd_getfd=438 mount_setattr=442 quotactl_fd=443 memfd_secret=447`

const machines: Readonly<Record<string, Machine>> = {
  x64: {
    audit: 0xc000003e,
    x32Bit: 0x40000000,
    numbers: numbered(`${sinceThen}
      ioctl=16 socket=41 socketpair=53 clone=56 ptrace=101 syslog=103 vhangup=153 pivot_root=155 adjtimex=159 acct=163
      settimeofday=164 mount=165 umount2=166 swapon=167 swapoff=168 reboot=169 sethostname=170 setdomainname=171
      iopl=172 ioperm=173 init_module=175 delete_module=176 quotactl=179 clock_settime=227 kexec_load=246 add_key=248
      request_key=249 keyctl=250 unshare=272 perf_event_open=298 fanotify_init=300 open_by_handle_at=304
      clock_adjtime=305 setns=308 process_vm_readv=310 process_vm_writev=311 kcmp=312 finit_module=313
      kexec_file_load=320 bpf=321 userfaultfd=323`)
  },
  arm64: {
    audit: 0xc00000b7,
    x32Bit: null,
    numbers: numbered(`${sinceThen}
      ioctl=29 umount2=39 mount=40 pivot_root=41 vhangup=58 quotactl=60 acct=89 unshare=97 kexec_load=104
      init_module=105 delete_module=106 clock_settime=112 syslog=116 ptrace=117 reboot=142 sethostname=161
      setdomainname=162 settimeofday=170 adjtimex=171 socket=198 socketpair=199 add_key=217 request_key=218 keyctl=219
      clone=220 swapon=224 swapoff=225 perf_event_open=241 fanotify_init=262 open_by_handle_at=265 clock_adjtime=266
      setns=268 process_vm_readv=270 process_vm_writev=271 kcmp=272 finit_module=273 bpf=280 userfaultfd=282
      kexec_file_load=294`)
  }
}

/** Judged by their arguments, so not refused as a whole. */
const judged = new Set(["ioctl", "socket", "socketpair", "clone", "clone3"])

const load = 0x20
const jumpIfEqual = 0x15
const jumpIfAtLeast = 0x35
const jumpIfAny = 0x45
const answer = 0x06

const allow = 0x7fff0000
const kill = 0x80000000
const refuse = (errno: number) => 0x00050000 | errno
const [notPermitted, noSuchCall, noSuchFamily] = [refuse(1), refuse(38), refuse(97)]

/** Where `struct seccomp_data` has what is looked at; arguments are 64 bits, their low half first. */
const numberAt = 0
const machineAt = 4
const argumentAt = (index: number) => 16 + 8 * index

/** CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
const newNamespaces = 0x80 | 0x20000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
/** TIOCSTI and TIOCLINUX: what a terminal takes for typed. */
const typing = [0x5412, 0x541c]
/** AF_UNIX, AF_INET, AF_INET6, AF_NETLINK. */
const families = [1, 2, 10, 16]

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

const when = (code: number, value: number, steps: ReadonlyArray<Instruction>): ReadonlyArray<Instruction> => [
  [code, 0, steps.length, value],
  ...steps
]
const end = (result: number): Instruction => [answer, 0, 0, result]

const steps = ({ audit, numbers, x32Bit }: Machine): ReadonlyArray<Instruction> => {
  const on = (name: string, body: ReadonlyArray<Instruction>) => when(jumpIfEqual, numbers[name] ?? -1, body)
  const family = [
    [load, 0, 0, argumentAt(0)] as const,
    ...families.flatMap((one) => when(jumpIfEqual, one, [end(allow)])),
    end(noSuchFamily)
  ]
  return [
    [load, 0, 0, machineAt],
    [jumpIfEqual, 1, 0, audit],
    end(kill),
    [load, 0, 0, numberAt],
    ...(x32Bit === null ? [] : when(jumpIfAtLeast, x32Bit, [end(noSuchCall)])),
    ...on("ioctl", [
      [load, 0, 0, argumentAt(1)],
      ...typing.flatMap((one) => when(jumpIfEqual, one, [end(notPermitted)])),
      end(allow)
    ]),
    ...on("socket", family),
    ...on("socketpair", family),
    ...on("clone", [[load, 0, 0, argumentAt(0)], ...when(jumpIfAny, newNamespaces, [end(notPermitted)]), end(allow)]),
    // Its flags are in memory, where a filter cannot look. The C libraries then take `clone`.
    ...on("clone3", [end(noSuchCall)]),
    ...Object.keys(numbers)
      .filter((name) => !judged.has(name))
      .flatMap((name) => on(name, [end(notPermitted)])),
    end(allow)
  ]
}

/** The filter as the kernel takes it: 8 bytes for each instruction. Null for a machine that it is not written for. */
export const filterFor = (architecture: string): Uint8Array | null => {
  const machine = machines[architecture]
  if (machine === undefined) return null
  const program = steps(machine)
  const bytes = new DataView(new ArrayBuffer(8 * program.length))
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    bytes.setUint16(8 * index, code, true)
    bytes.setUint8(8 * index + 2, ifTrue)
    bytes.setUint8(8 * index + 3, ifFalse)
    bytes.setUint32(8 * index + 4, value >>> 0, true)
  }
  return new Uint8Array(bytes.buffer)
}

/** The filter for this machine; null where kernel or machine has none. */
export const findFilter = (): Uint8Array | null =>
  existsSync("/proc/sys/kernel/seccomp/actions_avail") && endianness() === "LE" ? filterFor(process.arch) : null

/**
 * Opens a filter's file as descriptor 9 and becomes bubblewrap, which reads it. The shell's word for where it stands goes
 * no further: bubblewrap keeps its environment, for all inside to read.
 */
export const readingFilter = (file: string, bwrap: string): ReadonlyArray<string> => [
  "/bin/sh",
  "-c",
  `exec 9<"$1"; shift; unset PWD OLDPWD; exec "$@"`,
  "sh",
  file,
  bwrap,
  "--seccomp",
  "9"
]

// util-linux sets no filter. Perl is in every Debian and can call the kernel: seccomp(SECCOMP_SET_MODE_FILTER, 0, filter).
const setFilter = `my ($number, $hex) = splice @ARGV, 0, 2; my $filter = pack "H*", $hex;
syscall($number + 0, 1, 0, pack("S x![P] P", length($filter) / 8, $filter)) == 0 or die "no filter of system calls: $!\\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\\n"`

const seccompNumbers: Readonly<Record<string, number>> = { x64: 317, arm64: 277 }

/** What to put before a command so that it begins with the filter; empty where there is no filter or no Perl. */
export const withFilter = (): ReadonlyArray<string> => {
  const [filter, perl, number] = [findFilter(), findProgram("perl"), seccompNumbers[process.arch]]
  if (filter === null || perl === null || number === undefined) return []
  return [perl, "-e", setFilter, `${number}`, Buffer.from(filter).toString("hex")]
}
