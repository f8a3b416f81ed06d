// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// main.c: vvcc FILE_kernel.c --out-dir DIR [-I dir]... [-D x]... [--describe] [--no-rules] [--wrong N]

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "vvcc.h"

static int usage(const char* what) {
  fprintf(stderr,
          "vvcc: %s; vvcc FILE_kernel.c --out-dir DIR [-I dir] [-D name] [--describe] [--no-rules] [--wrong N]\n",
          what);
  return 2;
}

int main(int argc, char** argv) {
  vvccOptions o = vvcc_options_default();
  const char** flag = calloc((size_t)argc + 1, sizeof(char*));
  if (!flag) return usage("out of memory");
  int bad = 0;
  for (int i = 1; i < argc && !bad; i++) {
    const char* a = argv[i];
    if (strcmp(a, "--out-dir") == 0 && i + 1 < argc) {
      o.out_dir = argv[++i];
    } else if (strcmp(a, "--wrong") == 0 && i + 1 < argc) {
      o.wrong = atoi(argv[++i]);
    } else if (strcmp(a, "--describe") == 0) {
      o.describe = 1;
    } else if (strcmp(a, "--no-rules") == 0) {
      o.no_rules = 1;
    } else if (strncmp(a, "-I", 2) == 0 || strncmp(a, "-D", 2) == 0) {
      flag[o.nflag++] = a;
      if (a[2] == 0 && i + 1 < argc) flag[o.nflag++] = argv[++i];
    } else if (a[0] == '-') {
      bad = usage("unknown option");
    } else if (!o.file) {
      o.file = a;
    } else {
      bad = usage("more than one file");
    }
  }
  if (!bad && (!o.file || !o.out_dir)) bad = usage("a file and --out-dir are needed");
  o.flag = flag;
  char message[2048];
  int status = bad;
  if (!bad) {
    status = vvcc_compile(&o, message, sizeof message);
    if (status) fprintf(stderr, "%s\n", message);
  }
  free(flag);
  return status;
}
