/* tracer UID MILLISECONDS DIRECTORY: run `bash -c` as UID with each command of the standard input, and write to the
 * standard output what it and its children did. A NUL ends a command; the line `end` ends what it did.
 *
 * One line for each deed, the fields separated by tabs, bytes below 0x20, backslash and 0x7f written as \xHH:
 *   pid  exec   program  cwd  words...      after the kernel took the new program
 *   pid  file   path                        before that: the file that was asked for, a script for example
 *   pid  open   flags    path               before the call, as are all below; path is absolute and not resolved
 *   pid  NAME   path...                     unlink rename mkdir rmdir link symlink chmod chown truncate chdir mknod
 *   pid  fork   child
 *   pid  connect family
 * A seccomp filter stops only the system calls in CALLS, so the rest runs at full speed. Nothing of the traced
 * programs is changed: what is statically linked or built for the occasion is seen like the rest.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATH_SIZE 4096
#define NOBODY (-2)

/* Where the arguments of a call stand: `at` is a descriptor's place or NOBODY for calls relative to the cwd. */
struct call {
    long number;
    const char *name;
    int at, path, at2, path2, flags;
};

#ifdef __x86_64__
#define OLD(name, path, path2, flags) {__NR_##name, #name, NOBODY, path, NOBODY, path2, flags},
#else
#define OLD(name, path, path2, flags)
#endif
static const struct call CALLS[] = {
    OLD(open, 0, -1, 1) OLD(creat, 0, -1, -1) OLD(unlink, 0, -1, -1) OLD(rename, 0, 1, -1) OLD(mkdir, 0, -1, -1)
    OLD(rmdir, 0, -1, -1) OLD(link, 0, 1, -1) OLD(symlink, 1, -1, -1) OLD(chmod, 0, -1, -1) OLD(chown, 0, -1, -1)
    OLD(lchown, 0, -1, -1) OLD(mknod, 0, -1, -1)
    {__NR_openat, "open", 0, 1, NOBODY, -1, 2}, {__NR_openat2, "open2", 0, 1, NOBODY, -1, -1},
    {__NR_unlinkat, "unlink", 0, 1, NOBODY, -1, -1}, {__NR_renameat, "rename", 0, 1, 2, 3, -1},
    {__NR_renameat2, "rename", 0, 1, 2, 3, -1}, {__NR_mkdirat, "mkdir", 0, 1, NOBODY, -1, -1},
    {__NR_linkat, "link", 0, 1, 2, 3, -1}, {__NR_symlinkat, "symlink", 1, 2, NOBODY, -1, -1},
    {__NR_fchmodat, "chmod", 0, 1, NOBODY, -1, -1}, {__NR_fchownat, "chown", 0, 1, NOBODY, -1, -1},
    {__NR_truncate, "truncate", NOBODY, 0, NOBODY, -1, -1}, {__NR_chdir, "chdir", NOBODY, 0, NOBODY, -1, -1},
    {__NR_mknodat, "mknod", 0, 1, NOBODY, -1, -1}, {__NR_connect, "connect", NOBODY, -1, NOBODY, -1, -1},
};
#define CALL_COUNT (sizeof CALLS / sizeof *CALLS)

static FILE *out;

static void die(const char *what) {
    perror(what);
    _exit(125);
}

static void put(const char *text, size_t length) {
    for (size_t i = 0; i < length; i++) {
        unsigned char c = text[i];
        if (c < 0x20 || c == '\\' || c == 0x7f)
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
}

static void field(const char *text) {
    fputc('\t', out);
    put(text, strlen(text));
}

static void install_filter(void) {
    struct sock_filter code[CALL_COUNT * 2 + 8];
    size_t n = 0;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (size_t i = 0; i < CALL_COUNT; i++) {
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)CALLS[i].number, 0, 1);
        code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE | i);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {(unsigned short)n, code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0))
        die("seccomp");
}

static void become_bash(uid_t uid, const char *directory, char *command) {
    int nothing = open("/dev/null", O_RDWR);
    if (nothing < 0 || setgroups(0, NULL) || setgid(uid) || setuid(uid) || setsid() < 0 || chdir(directory))
        die("identity");
    for (int fd = 0; fd < 3; fd++)
        dup2(nothing, fd);
    if (nothing > 2)
        close(nothing);
    struct rlimit core = {0, 0}, file = {1 << 24, 1 << 24};
    setrlimit(RLIMIT_CORE, &core);
    setrlimit(RLIMIT_FSIZE, &file);
    if (ptrace(PTRACE_TRACEME, 0, 0, 0))
        die("traceme");
    raise(SIGSTOP);
    install_filter();
    char *words[] = {"/bin/bash", "-c", command, NULL};
    execv(words[0], words);
    _exit(127);
}

static void arguments_of(pid_t pid, long args[6]) {
    struct user_regs_struct regs;
    struct iovec where = {&regs, sizeof regs};
    memset(&regs, 0, sizeof regs);
    ptrace(PTRACE_GETREGSET, pid, NT_PRSTATUS, &where);
#ifdef __x86_64__
    long found[6] = {regs.rdi, regs.rsi, regs.rdx, regs.r10, regs.r8, regs.r9};
#else
    long found[6] = {regs.regs[0], regs.regs[1], regs.regs[2], regs.regs[3], regs.regs[4], regs.regs[5]};
#endif
    memcpy(args, found, sizeof found);
}

static void text_of(pid_t pid, long address, char *text) {
    size_t have = 0;
    while (have < PATH_SIZE - 1) {
        size_t step = 256 - (size_t)((address + have) & 255);
        if (step > PATH_SIZE - 1 - have)
            step = PATH_SIZE - 1 - have;
        struct iovec here = {text + have, step}, there = {(void *)(address + have), step};
        ssize_t got = process_vm_readv(pid, &here, 1, &there, 1, 0);
        if (got <= 0)
            break;
        if (memchr(text + have, 0, got))
            return;
        have += got;
    }
    text[have] = 0;
}

static void link_of(pid_t pid, const char *name, char *text) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", pid, name);
    ssize_t got = readlink(path, text, PATH_SIZE - 1);
    text[got < 0 ? 0 : got] = 0;
}

static void put_path(pid_t pid, long fd, long address) {
    char text[PATH_SIZE], base[PATH_SIZE], name[32];
    text_of(pid, address, text);
    if (text[0] == '/') {
        field(text);
        return;
    }
    if ((int)fd == AT_FDCWD)
        strcpy(name, "cwd");
    else
        snprintf(name, sizeof name, "fd/%d", (int)fd);
    link_of(pid, name, base);
    field(base);
    fputc('/', out);
    put(text, strlen(text));
}

static int family_of(pid_t pid, long address) {
    unsigned short family = 0;
    struct iovec here = {&family, sizeof family}, there = {(void *)address, sizeof family};
    process_vm_readv(pid, &here, 1, &there, 1, 0);
    return family;
}

static void record_call(pid_t pid) {
    unsigned long index;
    long args[6];
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &index);
    arguments_of(pid, args);
    const struct call *call = &CALLS[index];
    fprintf(out, "%d\t%s", pid, strcmp(call->name, "creat") ? call->name : "open");
    if (!strcmp(call->name, "open") || !strcmp(call->name, "creat"))
        fprintf(out, "\t%d", call->flags < 0 ? O_CREAT | O_WRONLY | O_TRUNC : (int)args[call->flags]);
    if (call->path >= 0)
        put_path(pid, call->at == NOBODY ? AT_FDCWD : args[call->at], args[call->path]);
    if (call->path2 >= 0)
        put_path(pid, call->at2 == NOBODY ? AT_FDCWD : args[call->at2], args[call->path2]);
    if (!strcmp(call->name, "connect"))
        fprintf(out, "\t%d", family_of(pid, args[1]));
    fputc('\n', out);
}

/* The name of the file that was asked for: of a script it is not what reads it. */
static void file_of(pid_t pid, char *text) {
    unsigned long entry[2] = {0, 0};
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/auxv", pid);
    FILE *file = fopen(path, "r");
    text[0] = 0;
    while (file && fread(entry, sizeof entry, 1, file) == 1)
        if (entry[0] == AT_EXECFN)
            text_of(pid, entry[1], text);
    if (file)
        fclose(file);
}

static void record_exec(pid_t pid) {
    char text[PATH_SIZE];
    static char words[1 << 16];
    fprintf(out, "%d\tfile", pid);
    file_of(pid, text);
    field(text);
    fprintf(out, "\n%d\texec", pid);
    link_of(pid, "exe", text);
    field(text);
    link_of(pid, "cwd", text);
    field(text);
    snprintf(text, sizeof text, "/proc/%d/cmdline", pid);
    int fd = open(text, O_RDONLY | O_CLOEXEC);
    ssize_t have = 0, got;
    while (fd >= 0 && have < (ssize_t)sizeof words && (got = read(fd, words + have, sizeof words - have)) > 0)
        have += got;
    if (fd >= 0)
        close(fd);
    for (ssize_t at = 0; at < have;) {
        size_t length = strnlen(words + at, have - at);
        fputc('\t', out);
        put(words + at, length);
        at += length + 1;
    }
    fputc('\n', out);
}

static void record_fork(pid_t pid) {
    unsigned long child;
    ptrace(PTRACE_GETEVENTMSG, pid, 0, &child);
    fprintf(out, "%d\tfork\t%lu\n", pid, child);
}

static int signal_to_pass_on(pid_t pid, int status) {
    int event = status >> 16, signal = WSTOPSIG(status);
    if (event == PTRACE_EVENT_SECCOMP)
        record_call(pid);
    else if (event == PTRACE_EVENT_EXEC)
        record_exec(pid);
    else if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK || event == PTRACE_EVENT_CLONE)
        record_fork(pid);
    else if (event == 0 && signal != SIGSTOP && signal != SIGTRAP)
        return signal;
    return 0;
}

static volatile sig_atomic_t is_over;

static void end(int unused) {
    (void)unused;
    is_over = 1;
}

static void trace_until_all_ended(void) {
    int status;
    for (pid_t pid; !is_over && (pid = waitpid(-1, &status, __WALL)) > 0;)
        if (WIFSTOPPED(status))
            ptrace(PTRACE_CONT, pid, 0, signal_to_pass_on(pid, status));
}

/* Nothing else runs as UID. A process that is being traced is only gone when its tracer has waited for it. */
static void kill_all(uid_t uid) {
    int status;
    if (fork() == 0)
        _exit(setuid(uid) || kill(-1, SIGKILL));
    for (pid_t pid; (pid = waitpid(-1, &status, __WALL)) > 0;)
        if (WIFSTOPPED(status))
            ptrace(PTRACE_CONT, pid, 0, SIGKILL);
}

/* It repeats: the first signal may come just before a wait begins. */
static void set_alarm(int milliseconds) {
    struct timeval after = {milliseconds / 1000, milliseconds % 1000 * 1000};
    struct itimerval time = {.it_interval = after, .it_value = after};
    setitimer(ITIMER_REAL, &time, NULL);
}

static void run(uid_t uid, int milliseconds, const char *directory, char *command) {
    int status;
    pid_t first = fork();
    if (first == 0)
        become_bash(uid, directory, command);
    if (first < 0 || waitpid(first, &status, 0) != first || !WIFSTOPPED(status))
        die("start");
    long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACEEXEC | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, first, 0, options))
        die("options");
    is_over = 0;
    set_alarm(milliseconds);
    ptrace(PTRACE_CONT, first, 0, 0);
    trace_until_all_ended();
    set_alarm(0);
    if (is_over) {
        fprintf(out, "0\ttimeout\n");
        kill_all(uid);
    }
    fprintf(out, "end\n");
    fflush(out);
}

int main(int count, char **words) {
    if (count != 4)
        return 2;
    out = stdout;
    struct sigaction at_the_end = {.sa_handler = end}; /* without SA_RESTART: the wait ends too */
    sigaction(SIGALRM, &at_the_end, NULL);
    char *command = NULL;
    size_t size = 0;
    while (getdelim(&command, &size, 0, stdin) > 0)
        run(atoi(words[1]), atoi(words[2]), words[3], command);
    return 0;
}
