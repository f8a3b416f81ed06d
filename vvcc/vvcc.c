// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// vvcc.c: one compilation, in a child process with limits: hostile text can crash libclang, and that is a refusal.

#define _POSIX_C_SOURCE 200809L

#include "vvcc.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "derive.h"
#include "describe.h"
#include "emit.h"
#include "parse.h"

vvccOptions vvcc_options_default(void) {
  vvccOptions o;
  memset(&o, 0, sizeof o);
  o.seconds = 60;
  return o;
}

static const char* base_name(vvCc* cc, const char* path) {
  const char* slash = strrchr(path, '/');
  const char* name = slash ? slash + 1 : path;
  size_t n = strlen(name);
  if (n > 2 && strcmp(name + n - 2, ".c") == 0) n -= 2;
  return vv_ir_format(cc, "%.*s", (int)n, name);
}

static void compile(vvCc* cc, const vvccOptions* o) {
  cc->file = o->file;
  cc->wrong = o->wrong;
  cc->no_rules = o->no_rules != 0;
  cc->base = base_name(cc, o->file);
  vv_ir_init_types(cc);
  vv_parse_kernel(cc, o->nflag, o->flag);
  vv_derive_all(cc);
  vv_emit_files(cc, o->out_dir);
  if (o->describe) vv_describe(cc, o->out_dir);
}

static _Noreturn void child(const vvccOptions* o, int out) {
  unsigned seconds = o->seconds ? o->seconds : 60;
  struct rlimit limit = {seconds, seconds};
  setrlimit(RLIMIT_CPU, &limit);
  vvCc cc;
  memset(&cc, 0, sizeof cc);
  volatile int status = 0;
  if (setjmp(cc.fail) == 0) {
    compile(&cc, o);
  } else {
    status = 2;
    ssize_t written = write(out, cc.message, strlen(cc.message));
    (void)written;
  }
  vv_ir_free(&cc);
  close(out);
  _exit(status);
}

int vvcc_compile(const vvccOptions* o, char* message, size_t size) {
  if (size) message[0] = 0;
  int fd[2];
  if (pipe(fd) != 0) {
    snprintf(message, size, "%s:1: no pipe for the child process; %s", o->file, strerror(errno));
    return 2;
  }
  pid_t pid = fork();
  if (pid < 0) {
    close(fd[0]);
    close(fd[1]);
    snprintf(message, size, "%s:1: no child process; %s", o->file, strerror(errno));
    return 2;
  }
  if (pid == 0) {
    close(fd[0]);
    child(o, fd[1]);
  }
  close(fd[1]);
  size_t n = 0;
  char buffer[1024];
  ssize_t got;
  while ((got = read(fd[0], buffer, sizeof buffer)) > 0 || (got < 0 && errno == EINTR)) {
    for (ssize_t i = 0; i < got && n + 1 < size; i++) message[n++] = buffer[i];
  }
  if (size) message[n] = 0;
  close(fd[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? 0 : 2;
  snprintf(message, size, "%s:1: the compiler %s on this text; simplify it", o->file,
           WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU ? "ran out of time" : "crashed");
  return 2;
}
