/** Ways out of a sandbox and past its limits. Each prints ESCAPED, the secret, or ends otherwise when it succeeds. */
import { slice } from "../../Depth.ts"
import { expect } from "vitest"
import type { SandboxResult } from "@pawl/core/verification/Sandbox"
import type { JobParts, SandboxHost } from "./SandboxJobs.ts"
import { textOf } from "@pawl/core/primitives/Utf8"

/** One way out: what is run, and how it must end. What is left out may be anything. */
export interface Attempt extends JobParts {
  readonly title: string
  readonly command: (host: SandboxHost) => string
  readonly outcome?: Readonly<Record<string, unknown>>
  /** The whole output, trimmed. */
  readonly prints?: RegExp
  readonly after?: (result: SandboxResult, host: SandboxHost) => void
}

const MiB = 1024 * 1024
const exited = (code = 0) => ({ _tag: "Exited", code })
const always = (command: string) => () => command
/** Seconds, about so many, that nobody else on this machine waits for: the host finds by them what was left running. */
const own = (seconds: number, { tcpPort }: SandboxHost) => `${seconds}.${tcpPort}`
const node = (program: string) => `node -e '${program}'`

/** Connects and says so, or says why not. */
const connect = (options: string) =>
  node(
    `require("net").connect(${options}).on("connect", () => { console.log("ESCAPED"); process.exit() }).on("error", () => console.log("denied"))`
  )

/** Prints ESCAPED when the shell line works. */
const refused = (title: string, line: string): Attempt => ({
  title,
  command: always(`if ( ${line} ) >/dev/null 2>&1; then echo ESCAPED; else echo denied; fi`),
  outcome: exited(),
  prints: /^denied$/
})

const network: ReadonlyArray<Attempt> = [
  {
    title: "cannot connect to a port of the host",
    command: (host) => connect(`${host.tcpPort}, "127.0.0.1"`),
    prints: /^denied$/
  },
  { title: "cannot connect by IPv6", command: (host) => connect(`${host.tcpPort}, "::1"`), prints: /^denied$/ },
  {
    title: "cannot send a datagram to the host",
    command: (host) =>
      node(
        `const s = require("dgram").createSocket("udp4"); s.on("error", () => 0).send("x", ${host.udpPort}, "127.0.0.1", () => s.close())`
      ),
    outcome: exited()
  },
  {
    title: "cannot resolve a name",
    command: always(node(`require("dns").lookup("example.com", (e) => console.log(e ? "denied" : "ESCAPED"))`)),
    prints: /^denied$/
  },
  {
    title: "cannot reach a unix socket of the host",
    command: (host) => connect(`"${host.unixSocket}"`),
    prints: /^denied$/
  },
  {
    title: "cannot reach an abstract socket of the host",
    command: (host) => connect(`"\\0${host.abstractSocket}"`),
    prints: /^denied$/
  },
  {
    title: "cannot reach the address where clouds keep credentials",
    command: always(connect(`80, "169.254.169.254"`)),
    prints: /^denied$/
  },
  {
    title: "cannot call out to everyone on the local network",
    command: always(
      node(
        `const s = require("dgram").createSocket("udp4"); s.on("error", () => 0); s.bind(0, () => { s.setBroadcast(true); s.send("x", 9, "255.255.255.255", (e) => { console.log(e ? "denied" : "ESCAPED"); s.close() }) })`
      )
    ),
    prints: /^denied$/
  },
  {
    title: "has no interface but its own loopback",
    command: always(`tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '`),
    prints: /^lo$/
  },
  {
    title: "has no route to anywhere",
    command: always(`tail -n +2 /proc/net/route | wc -l`),
    prints: /^0$/
  }
]

const files: ReadonlyArray<Attempt> = [
  {
    title: "cannot read a file of the host that all may read",
    command: ({ secretFile }) => `cat ${secretFile}; exit 0`,
    prints: /No such file/
  },
  {
    title: "cannot read it through the root of another process",
    command: ({ secretFile }) =>
      `for p in /proc/[0-9]*; do cat $p/root${secretFile} $p/cwd/../../../..${secretFile} 2>/dev/null; done; echo denied`,
    prints: /^denied$/
  },
  {
    title: "cannot read it through a link of its own",
    command: ({ secretFile }) => `ln -s ${secretFile} a; ln -s / b; cat a b${secretFile}; exit 0`,
    outcome: exited()
  },
  {
    title: "is given no open folder or file of the host",
    command: ({ secretFile }) =>
      `for d in /proc/[0-9]*/fd/*; do cat $d/../../..${secretFile} $d/../../../../../..${secretFile} 2>/dev/null; [ -d $d ] && echo ESCAPED; done
for d in /proc/self/fd/[0-9]*; do readlink $d >> list; done; grep -vE '^/dev/null$|/pipe-[0-9]+ .deleted.$|^/proc/|^/job/work/list$' list; echo end`,
    prints: /^end$/
  },
  {
    title: "does not see the folders of the host",
    command: always(
      `ls -A /root /home /work /var/lib /srv /run /mnt /opt /tmp /boot 2>/dev/null | grep -v : ; echo end`
    ),
    prints: /^end$/
  },
  refused("cannot read /etc/shadow", "cat /etc/shadow"),
  {
    title: "sees only a stub of /etc",
    command: always(`cat /etc/passwd | cut -d: -f1 | grep -v check; ls /etc | tr '\\n' ' '`),
    prints: /^nobody\n(alternatives )?group hosts (ld.so.cache )?nsswitch.conf passwd$/
  },
  refused(
    "cannot open the machine's memory or disks",
    "cat /dev/mem /dev/kmsg /dev/sda /dev/vda /proc/kcore /proc/kmsg"
  ),
  refused("cannot make a device", "mknod disk b 254 0"),
  refused(
    "finds none of the host's usual sockets",
    "ls /var/run/docker.sock /run/docker.sock /run/dbus/system_bus_socket /run/systemd/private /dev/log | grep ."
  ),
  refused(
    "cannot name the program that the kernel starts for it",
    "echo x > /proc/sys/kernel/core_pattern || echo x > /proc/sys/kernel/modprobe || echo x > /proc/sys/fs/binfmt_misc/register || echo x > /sys/kernel/uevent_helper"
  ),
  refused(
    "cannot leave or change its cgroup",
    "echo 0 > /sys/fs/cgroup/cgroup.procs || echo max > /sys/fs/cgroup/memory.max || mount -t cgroup2 none /job/tmp || mount -t cgroup -o memory none /job/tmp"
  ),
  refused("cannot look into the kernel's traces", "ls /sys/kernel/debug/ /sys/kernel/tracing/ /sys/fs/bpf/ | grep ."),
  {
    title: "finds no variable of ours in any process",
    command: always(
      `env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c ESC''APED; exit 0`
    ),
    after: (result) => expect(textOf(result.output)).not.toMatch(/VITEST|NODE_ENV|npm_/)
  },
  {
    title: "reads no place of the host in the command line of any process, nor a variable in their environment",
    command: always(
      `for p in /proc/[0-9]*; do tr '\\0' ' ' < $p/cmdline; echo; done; tr '\\0' '\\n' < /proc/1/environ; echo read; exit 0`
    ),
    after: (result) => {
      const said = new TextDecoder().decode(result.output)
      expect(said).toMatch(/^read$/m)
      // How bubblewrap is told what to bind, the folder of a run, and where tools lie.
      expect(said).not.toMatch(/-bind|pawl-sandbox|node_modules\/typescript/)
    }
  },
  {
    title: "sees no process but its own",
    command: always(`cat /proc/[0-9]*/comm | grep -vE '^(sh|bwrap|cat|grep|unshare|setpriv)$'; echo end`),
    prints: /^end$/
  },
  {
    title: "cannot write outside its folder",
    command: always(
      `for d in / /usr /usr/bin /bin /lib /etc /tools /tools/bin /dev /var /sys /proc /proc/sys /node_modules; do (: > $d/pawl-x) 2>/dev/null && echo ESCAPED $d; done; echo denied`
    ),
    prints: /^denied$/
  },
  refused("cannot change the programs it runs", "chmod 777 /tools/bin/node /usr/bin/env || : >> /tools/bin/node"),
  refused("cannot change a setting of the kernel", "echo x > /proc/sys/kernel/hostname || echo 1 > /proc/sysrq-trigger")
]

const privileges: ReadonlyArray<Attempt> = [
  {
    title: "is nobody",
    command: always(`[ "$(id -u)" -gt 1000 ] && [ "$(id -g)" -gt 1000 ] && id -G | grep -qvw 0 && echo nobody`),
    prints: /^nobody$/
  },
  {
    title: "holds no capability, in itself and in the first process",
    command: always(`cat /proc/self/status /proc/1/status | grep Cap | cut -f2 | sort -u`),
    prints: /^0{16}$/
  },
  { title: "cannot gain a privilege", command: always(`grep NoNewPrivs /proc/self/status | cut -f2`), prints: /^1$/ },
  {
    title: "gains nothing by a set-uid program",
    command: always(
      `for p in su sudo mount newgrp chsh; do command -v $p >/dev/null && $p </dev/null >/dev/null 2>&1; done; echo "int main" > x; id -u root 2>/dev/null; cp /bin/sh s && chmod 4755 s && ./s -c 'id -u' | grep -x 0 && echo ESCAPED; echo end`
    ),
    prints: /^end$/
  },
  refused("cannot make a user namespace, and be root in it", "unshare --user --map-root-user true"),
  refused("cannot make another namespace", "unshare --mount true || unshare --net true || unshare --pid --fork true"),
  refused("cannot mount", "mount -t tmpfs tmpfs /job/tmp || mount --bind / /job/tmp || mount -o remount,rw,bind /usr"),
  refused("cannot unmount what hides the host", "umount /usr || umount -l / || umount /proc"),
  refused("cannot change its root", "/usr/sbin/chroot / true || /usr/sbin/chroot /job true"),
  refused(
    "cannot enter the namespaces of another process",
    "nsenter --target 1 --mount true || nsenter --target 1 --net true"
  ),
  {
    title: "cannot kill the first process, nor anything of the host",
    command: always(`kill -9 1; kill -15 1; echo alive`),
    outcome: exited(),
    prints: /alive$/
  },
  refused(
    "cannot raise its priority or its limits",
    "nice -n -5 true 2>&1 | grep -v cannot || prlimit --nofile=1000000:1000000 true"
  ),
  refused("cannot run before all others", "chrt --fifo 50 true"),
  {
    title: "kills nobody but its own when it kills all it can",
    command: always(`trap '' HUP; kill -9 -1; echo end`),
    after: (_result, host) => expect(host.residentBytes()).toBeGreaterThan(0)
  },
  refused("cannot set the host's name or clock", "hostname pawned || date -s 2001-01-01")
]

const hog = node(`const a = []; for (;;) a.push(Buffer.alloc(1 << 20, 1))`)

const limits: ReadonlyArray<Attempt> = [
  {
    title: "ends a memory hog as OutOfMemory",
    command: always(hog),
    limits: { memoryBytes: 128 * MiB },
    outcome: { _tag: "OutOfMemory" }
  },
  {
    title: "ends a memory hog that hides below a shell and other processes",
    command: always(`sh -c '${hog.replaceAll("'", `'"'"'`)} & wait'; sleep 60`),
    limits: { memoryBytes: 128 * MiB },
    outcome: { _tag: "OutOfMemory" }
  },
  {
    title: "counts memory that is kept in files without a name",
    // memfd_create by its number; Perl is part of every Debian. Elsewhere the plain hog stands in.
    command: always(
      `if [ "$(uname -m)" = x86_64 ] && command -v perl >/dev/null; then
perl -e 'my ($n, @h) = ("m"); for (1..10) { my $f = syscall(319, $n, 0); open(my $h, ">&=", $f); push @h, $h; print $h "x" x 1048576 for 1..40 } sleep 60'; else ${hog}; fi`
    ),
    limits: { memoryBytes: 128 * MiB },
    outcome: { _tag: "OutOfMemory" }
  },
  {
    title: "stops a fork bomb, and the host goes on",
    command: (host) => `b() { b | b & }; b; sleep ${own(1, host)}; echo end`,
    limits: { processes: 64, wallMs: 5000 },
    after: (_result, host) => expect(host.runs(`b; sleep ${own(1, host)}`)).toBe(false)
  },
  {
    title: "bounds the number of processes",
    command: always(`i=0; while [ $i -lt 500 ]; do sleep 60 & i=$((i+1)); done; echo ESCAPED`),
    limits: { processes: 64, wallMs: 5000 }
  },
  {
    title: "bounds the disk, wherever a command writes",
    command: always(
      `for f in a /tmp/b /dev/shm/c /job/home/d /var/tmp/e; do head -c 5000000 /dev/zero > $f && echo ESCAPED; done; du -sk /job | cut -f1 | xargs test 4200 -ge && echo bounded`
    ),
    limits: { diskBytes: 4 * MiB },
    outcome: exited(),
    prints: /bounded$/
  },
  {
    title: "gives the disk back when the job ends",
    command: always(`head -c 40000000 /dev/zero > a && echo fits`),
    prints: /^fits$/
  },
  {
    title: "ends a loop when its CPU time is used up",
    command: always(`while :; do :; done`),
    limits: { cpuSeconds: 0.3 },
    outcome: { _tag: "Killed", signal: "SIGXCPU" }
  },
  {
    title: "counts the CPU time of all processes together",
    command: always(`for i in 1 2 3 4; do sh -c 'while :; do :; done' & done; wait`),
    limits: { cpuSeconds: 0.5 },
    outcome: { _tag: "Killed", signal: "SIGXCPU" }
  },
  {
    title: "ends a sleeper at its time",
    command: always(`sleep 600`),
    limits: { wallMs: 200 },
    outcome: { _tag: "TimedOut", afterMs: 200 }
  },
  {
    title: "ends one that ignores every signal it can",
    command: always(`trap '' TERM INT HUP QUIT XCPU ALRM; while :; do sleep 1; done`),
    limits: { wallMs: 300 },
    outcome: { _tag: "TimedOut", afterMs: 300 }
  },
  {
    title: "ends one that has stopped itself, and the first process",
    command: always(`kill -STOP 1; kill -STOP $$`),
    limits: { wallMs: 300 },
    outcome: { _tag: "TimedOut", afterMs: 300 }
  },
  {
    title: "ends one that starts itself anew for ever",
    command: (host) =>
      `trap '(sleep ${own(597, host)} &) ; exec sh -c "$0"' TERM; i=0; while :; do (setsid sleep ${own(597, host)} &); sleep 0.02; done`,
    limits: { wallMs: 400 },
    outcome: { _tag: "TimedOut", afterMs: 400 },
    after: (_result, host) => expect(host.runs(own(597, host))).toBe(false)
  },
  {
    title: "runs out of open files before the host does",
    command: always(
      node(
        `const fs = require("fs"); let n = 0; try { for (;;) { fs.openSync("/dev/null"); n++ } } catch (e) { console.log(e.code, n < 4096) }`
      )
    ),
    prints: /^EMFILE true$/
  },
  {
    title: "leaves no core of one that crashed, though it asks for it",
    command: always(`ulimit -c unlimited 2>/dev/null; sh -c 'kill -SEGV $$'; ls -A /job/work /tmp | grep -c core`),
    prints: /(^|\n)0$/
  },
  {
    title: "cuts a flood, keeps our memory flat, and lets the command end",
    command: always(`yes | head -c 30000000; exit 4`),
    limits: { outputBytes: 64 * 1024 },
    outcome: exited(4),
    after: (result, host) => {
      expect(result.output.length).toBe(64 * 1024)
      expect(result.outputTruncated).toBe(true)
      expect(host.residentBytes()).toBeLessThan(1024 * MiB)
    }
  },
  {
    title: "ends a flood that never ends at its time",
    command: always(`yes`),
    limits: { outputBytes: 1024, wallMs: 400 },
    outcome: { _tag: "TimedOut", afterMs: 400 }
  },
  {
    title: "does not wait for a daemon that holds the output open",
    command: (host) => `sleep ${own(599, host)} & echo started`,
    outcome: exited(),
    prints: /^started$/,
    after: (_result, host) => expect(host.runs(own(599, host))).toBe(false)
  },
  {
    title: "leaves no daemon behind, however it forked",
    command: (host) => {
      const time = own(598, host)
      return `( setsid sh -c 'trap "" HUP TERM; ( sleep ${time} & ) &' >/dev/null 2>&1 </dev/null & ) & nohup setsid sleep ${time} >/dev/null 2>&1 & sleep 0.2; pgrep -f ${time} >/dev/null || cat /proc/[0-9]*/cmdline | grep -q ${time}; echo seen $?`
    },
    prints: /seen 0$/,
    after: (_result, host) => expect(host.runs(own(598, host))).toBe(false)
  },
  {
    title: "dumps no core, and opens only so many files",
    command: always(`ulimit -c; ulimit -n`),
    prints: /^0\n(4096|[0-9]{1,4})$/
  },
  { title: "has nothing to read", command: always(`cat; echo end`), prints: /^end$/ },
  {
    title: "tells a death by a signal from an exit",
    command: always(`kill -SEGV $$`),
    outcome: { _tag: "Killed", signal: "SIGSEGV" }
  },
  {
    title: "tells a death by SIGKILL from one for want of memory",
    command: always(`kill -9 $$`),
    outcome: { _tag: "Killed", signal: "SIGKILL" }
  }
]

/** Every way that is tried, by network, files, privileges and limits. */
export const attempts: ReadonlyArray<Attempt> = [...network, ...files, ...privileges, ...limits]

/**
 * For a sandbox that differs from another one, which is tried with all of them, in how it holds limits alone: all that
 * try those, and in a quick run a slice of the others.
 */
export const limitAttempts: ReadonlyArray<Attempt> = [
  ...slice([...network, ...files, ...privileges], { quick: 12 }),
  ...limits
]
