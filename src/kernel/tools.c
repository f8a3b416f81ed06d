// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// tools.c: where vvcc, the C compiler, the headers and the cache are. Asked in this order: the options, the environment
// (VV_VVCC, CC, VV_CACHE), the folders around the running program and around the library, the PATH.

#define _GNU_SOURCE  // dladdr

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/build.h"

static bool copy(char* to, const char* from) {
  size_t n = strlen(from);
  if (n >= VV_PATH_MAX) return false;
  memcpy(to, from, n + 1);
  return true;
}

// The folder of the running program (k = 0) or of the library (k = 1).
static bool own_folder(int k, char* folder) {
  char path[VV_PATH_MAX];
  if (k == 0) {
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0) return false;
    path[n] = 0;
  } else {
    static const char here = 0;
    Dl_info info;
    if (!dladdr(&here, &info) || !info.dli_fname || !copy(path, info.dli_fname)) return false;
  }
  char* slash = strrchr(path, '/');
  if (!slash) return false;
  *slash = 0;
  return copy(folder, path);
}

// FOLDER/MIDDLE/LAST where that exists, for the folders around the program and the library.
static bool find_near(const char* const* middle, const char* last, int mode, char* path) {
  for (int k = 0; k < 2; k++) {
    char folder[VV_PATH_MAX];
    if (!own_folder(k, folder)) continue;
    for (int i = 0; middle[i]; i++) {
      int n = snprintf(path, VV_PATH_MAX, "%s/%s%s", folder, middle[i], last);
      if (n > 0 && n < VV_PATH_MAX && access(path, mode) == 0) return true;
    }
  }
  return false;
}

static bool find_on_path(const char* name, char* path) {
  if (strchr(name, '/')) return access(name, X_OK) == 0 && copy(path, name);
  const char* all = getenv("PATH");
  while (all && *all) {
    size_t n = strcspn(all, ":");
    int m = snprintf(path, VV_PATH_MAX, "%.*s/%s", (int)n, all, name);
    if (n > 0 && m > 0 && m < VV_PATH_MAX && access(path, X_OK) == 0) return true;
    all += n;
    if (*all == ':') all++;
  }
  return false;
}

// Makes a folder and those above it.
static bool make_folder(char* path) {
  for (char* p = path + 1; *p; p++) {
    if (*p != '/') continue;
    *p = 0;
    int bad = mkdir(path, 0777) != 0 && errno != EEXIST;
    *p = '/';
    if (bad && access(path, F_OK) != 0 && errno != ENOENT) return false;
  }
  struct stat s;
  return mkdir(path, 0777) == 0 || (stat(path, &s) == 0 && S_ISDIR(s.st_mode));
}

static vvStatus find_cache(const vvKernelOptions* o, vvKernelTools* t, vvReport* report) {
  const char* given = o->cache ? o->cache : getenv("VV_CACHE");
  const char* xdg = getenv("XDG_CACHE_HOME");
  const char* home = getenv("HOME");
  int n = -1;
  if (given && *given) {
    n = snprintf(t->cache, VV_PATH_MAX, "%s", given);
  } else if (xdg && *xdg) {
    n = snprintf(t->cache, VV_PATH_MAX, "%s/visviva", xdg);
  } else if (home && *home) {
    n = snprintf(t->cache, VV_PATH_MAX, "%s/.cache/visviva", home);
  } else {
    n = snprintf(t->cache, VV_PATH_MAX, "/tmp/visviva-%ld", (long)getuid());
  }
  if (n > 0 && n < VV_PATH_MAX && make_folder(t->cache)) return VV_OK;
  return vv_report_set(report, VV_ERROR_FILE, "the folder for built kernels, %.160s, cannot be made; set VV_CACHE",
                       t->cache);
}

vvStatus vv_kernel_tools(const vvKernelOptions* o, vvKernelTools* t, vvReport* report) {
  static const char* const programs[] = {"", "../", "../../", "../bin/", "../../bin/", NULL};
  static const char* const headers[] = {"../include", "../../include", "../../../include", NULL};
  memset(t, 0, sizeof *t);
  const char* vvcc = o->vvcc ? o->vvcc : getenv("VV_VVCC");
  bool found = vvcc && *vvcc ? find_on_path(vvcc, t->vvcc)
                             : find_near(programs, "vvcc", X_OK, t->vvcc) || find_on_path("vvcc", t->vvcc);
  if (!found) {
    return vv_report_set(report, VV_ERROR_UNSUPPORTED,
                         "the kernel compiler vvcc is not there; it is built with visviva where libclang is installed");
  }
  const char* cc = o->compiler ? o->compiler : getenv("CC");
  if (!find_on_path(cc && *cc ? cc : "cc", t->compiler)) {
    return vv_report_set(report, VV_ERROR_UNSUPPORTED, "no C compiler '%.80s'; install gcc or clang, or set CC",
                         cc && *cc ? cc : "cc");
  }
  if (o->include) {
    if (!copy(t->include, o->include)) return vv_report_set(report, VV_ERROR_ARGUMENT, "the include path is too long");
  } else {
    if (!find_near(headers, "/visviva/kernel.h", R_OK, t->include)) {
      return vv_report_set(report, VV_ERROR_UNSUPPORTED, "the headers of visviva are not there; install them");
    }
    t->include[strlen(t->include) - strlen("/visviva/kernel.h")] = 0;
  }
  return find_cache(o, t, report);
}
