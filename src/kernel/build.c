// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// build.c: from a kernel file to a shared object. The cache holds one folder per content: NAME-HASH with the generated
// text and kernel.so, where HASH is over the preprocessed file (thus over all it includes), the flags and the tools.
// A folder is made under another name and moved into place, so that two programs may build the same kernel at once.

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/build.h"

enum { MOST_ARGUMENTS = 48 };

// to = folder/name + end; false: too long.
static bool join(char* to, const char* folder, const char* name, const char* end) {
  size_t a = strlen(folder), b = strlen(name), c = strlen(end);
  if (a + b + c + 2 > VV_PATH_MAX) return false;
  memcpy(to, folder, a);
  to[a] = '/';
  memcpy(to + a + 1, name, b);
  memcpy(to + a + 1 + b, end, c + 1);
  return true;
}

typedef struct vvArguments {
  const char* v[MOST_ARGUMENTS];
  int n;
} vvArguments;

static void add(vvArguments* a, const char* text) {
  if (a->n + 1 < MOST_ARGUMENTS) a->v[a->n++] = text;
}

// Flags that the C compiler and vvcc share.
static void add_shared(vvArguments* a, const vvKernelTools* tools, const char* folder) {
  add(a, "-I");
  add(a, tools->include);
  add(a, "-I");
  add(a, folder);
  add(a, "-DVV_USER_KERNEL");
#ifdef VV_REAL_IS_FLOAT
  add(a, "-DVV_REAL=float");
  add(a, "-DVV_REAL_IS_FLOAT");
#endif
}

static void add_flags(vvArguments* a) {
  static const char* const flags[] = {"-std=c17",        "-D_XOPEN_SOURCE=700", "-O2", "-fPIC", "-ffp-contract=off",
                                      "-fno-math-errno", "-fno-trapping-math",  "-w"};
  for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) add(a, flags[i]);
}

static uint64_t hash_text(uint64_t hash, const char* text) {
  for (; *text; text++) hash = vv_kernel_hash(hash, (unsigned char)*text);
  return vv_kernel_hash(hash, 0);
}

static uint64_t hash_file_mark(uint64_t hash, const char* path) {
  struct stat s;
  hash = hash_text(hash, path);
  if (stat(path, &s) != 0) return hash;
  char text[80];
  snprintf(text, sizeof text, "%lld %lld", (long long)s.st_size, (long long)s.st_mtime);
  return hash_text(hash, text);
}

// First line of what a compiler said, one with "error" where there is one.
static vvStatus compiler_failed(const char* file, const char* text, vvReport* report) {
  const char* line = text;
  for (const char* at = text; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] != 0)) {
    size_t n = strcspn(at, "\n");
    const char* word = strstr(at, "error");
    if (word && word < at + n) {
      line = at;
      break;
    }
  }
  int n = (int)strcspn(line, "\n");
  if (n == 0) return vv_report_set(report, VV_ERROR_FILE, "%.160s: the compiler failed without a word", file);
  return vv_report_set(report, VV_ERROR_FILE, "%.*s", n > 250 ? 250 : n, line);
}

static void remove_folder(const char* path) {
  DIR* d = opendir(path);
  if (d) {
    for (struct dirent* e = readdir(d); e; e = readdir(d)) {
      char one[VV_PATH_MAX];
      bool dots = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
      if (!dots && join(one, path, e->d_name, "")) unlink(one);
    }
    closedir(d);
  }
  rmdir(path);
}

typedef struct vvBuild {
  const vvKernelTools* tools;
  const char* file;
  char folder[VV_PATH_MAX];  // of the kernel file
  char name[256];            // of the kernel file, without .c
  char text[4096];           // what a child said
  char work[VV_PATH_MAX];    // where it is being built
} vvBuild;

static vvStatus hash_of(vvBuild* b, uint64_t* hash, vvReport* report) {
  vvArguments a = {{b->tools->compiler}, 1};
  add(&a, "-E");
  add_flags(&a);
  add_shared(&a, b->tools, b->folder);
  add(&a, b->file);
  *hash = UINT64_C(0xcbf29ce484222325);
  int code = vv_kernel_child(a.v, b->text, sizeof b->text, hash);
  if (code != 0) return compiler_failed(b->file, b->text, report);
  for (int i = 0; i < a.n; i++) *hash = hash_text(*hash, a.v[i]);
  *hash = hash_file_mark(*hash, b->tools->vvcc);
  *hash = hash_file_mark(*hash, b->tools->compiler);
  return VV_OK;
}

static vvStatus compile(vvBuild* b, vvReport* report) {
  vvArguments a = {{b->tools->vvcc, b->file, "--out-dir", b->work, "--describe"}, 5};
  add_shared(&a, b->tools, b->folder);
  if (vv_kernel_child(a.v, b->text, sizeof b->text, NULL) != 0) return compiler_failed(b->file, b->text, report);
  char object[VV_PATH_MAX], derivative[VV_PATH_MAX], info[VV_PATH_MAX];
  if (!join(object, b->work, "kernel", ".so") || !join(derivative, b->work, b->name, ".vv.c") ||
      !join(info, b->work, b->name, ".vv.info.c"))
    return vv_report_set(report, VV_ERROR_FILE, "the path of the cache is too long");
  vvArguments c = {{b->tools->compiler}, 1};
  add_flags(&c);
  add(&c, "-shared");
  add_shared(&c, b->tools, b->folder);
  add(&c, "-I");
  add(&c, b->work);
  add(&c, "-o");
  add(&c, object);
  add(&c, b->file);
  add(&c, derivative);
  add(&c, info);
  add(&c, "-lm");
  if (vv_kernel_child(c.v, b->text, sizeof b->text, NULL) != 0) return compiler_failed(b->file, b->text, report);
  return VV_OK;
}

static bool split_path(vvBuild* b) {
  const char* slash = strrchr(b->file, '/');
  const char* name = slash ? slash + 1 : b->file;
  size_t n = strlen(name), m = slash ? (size_t)(slash - b->file) : 1;
  if (n < 3 || strcmp(name + n - 2, ".c") != 0 || n - 2 >= sizeof b->name || m >= sizeof b->folder) return false;
  memcpy(b->name, name, n - 2);
  memcpy(b->folder, slash ? b->file : ".", m);
  if (slash == b->file) memcpy(b->folder, "/", 2);
  return true;
}

vvStatus vv_kernel_build(const char* file, const vvKernelTools* tools, char* object, char* source, vvReport* report) {
  vvBuild build = {.tools = tools, .file = file}, *b = &build;
  if (!split_path(b)) return vv_report_set(report, VV_ERROR_FILE, "%.160s: a kernel file ends with .c", file);
  if (access(file, R_OK) != 0) return vv_report_set(report, VV_ERROR_FILE, "%.160s: cannot be read", file);
  uint64_t hash;
  vvStatus status = hash_of(b, &hash, report);
  if (status != VV_OK) return status;
  char folder[VV_PATH_MAX], mark[64];
  snprintf(mark, sizeof mark, "-%016llx", (unsigned long long)hash);
  bool fits = join(folder, tools->cache, b->name, mark);
  snprintf(mark, sizeof mark, "%ld-%016llx", (long)getpid(), (unsigned long long)hash);
  fits = fits && join(b->work, tools->cache, "building-", mark) && join(object, folder, "kernel", ".so") &&
         join(source, folder, b->name, ".vv.c");
  if (!fits) return vv_report_set(report, VV_ERROR_FILE, "the path of the cache is too long");
  if (access(object, R_OK) == 0) return VV_OK;
  if (mkdir(b->work, 0777) != 0)
    return vv_report_set(report, VV_ERROR_FILE, "%.160s: cannot be made; set VV_CACHE", b->work);
  status = compile(b, report);
  if (status == VV_OK && rename(b->work, folder) != 0 && access(object, R_OK) != 0)
    status = vv_report_set(report, VV_ERROR_FILE, "%.160s: cannot be made; set VV_CACHE", folder);
  remove_folder(b->work);
  return status;
}
