// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// child.c: runs a program and keeps what it says.

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/build.h"

static _Noreturn void run(const char* const* argv, int out, int err) {
  int null = open("/dev/null", O_RDWR);
  dup2(null, 0);
  dup2(out >= 0 ? out : null, 1);
  dup2(err, 2);
  execv(argv[0], (char* const*)argv);
  _exit(127);
}

// Reads one end until it closes; gives false when it has.
static bool take(int fd, char* text, size_t size, size_t* n, uint64_t* hash) {
  char buffer[4096];
  ssize_t got = read(fd, buffer, sizeof buffer);
  if (got < 0) return errno == EINTR;
  if (got == 0) return false;
  if (hash) {
    for (ssize_t i = 0; i < got; i++) *hash = vv_kernel_hash(*hash, (unsigned char)buffer[i]);
  } else {
    for (ssize_t i = 0; i < got && *n + 1 < size; i++) text[(*n)++] = buffer[i];
  }
  return true;
}

int vv_kernel_child(const char* const* argv, char* text, size_t size, uint64_t* hash) {
  int err[2], out[2] = {-1, -1};
  text[0] = 0;
  if (pipe(err) != 0) return -1;
  if (hash && pipe(out) != 0) {
    close(err[0]);
    close(err[1]);
    return -1;
  }
  pid_t pid = fork();
  if (pid == 0) run(argv, out[1], err[1]);
  close(err[1]);
  if (hash) close(out[1]);
  struct pollfd end[2] = {{err[0], POLLIN, 0}, {out[0], POLLIN, 0}};
  size_t n = 0;
  while (pid > 0 && (end[0].fd >= 0 || end[1].fd >= 0)) {
    if (poll(end, 2, -1) < 0 && errno != EINTR) break;
    if (end[0].fd >= 0 && end[0].revents && !take(err[0], text, size, &n, NULL)) end[0].fd = -1;
    if (end[1].fd >= 0 && end[1].revents && !take(out[0], NULL, 0, NULL, hash)) end[1].fd = -1;
  }
  text[n] = 0;
  close(err[0]);
  if (hash) close(out[0]);
  int status = 0;
  if (pid < 0) return -1;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}
