// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// command_kernel.c: vv kernel: a user's kernel file: what it offers, its derivative as text, a check of its derivatives
// against differences at random points, one run with given arguments. Users' code runs in a child process: it may
// crash.

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/kernel_args.h"

enum { POINTS = 5, EXTENT = 1024, TAPE = 1 << 24 };

typedef struct vvKernelRun {
  vvCli* cli;
  const char* file;
  vvKernel* kernel;
} vvKernelRun;

static vvStatus tape_create(vvContext* ctx, vvTapeMem* tape) {
  memset(tape, 0, sizeof *tape);
  tape->base = vv_alloc(ctx, TAPE);
  tape->capacity = TAPE;
  return tape->base ? VV_OK : VV_ERROR_MEMORY;
}

// Runs the reverse derivative.
static vvStatus run_vjp(vvKernelArgs* a, vvTapeMem* tape) {
  a->slot[2 * a->f->narg + 2] = tape;
  tape->used = tape->peak = 0;
  tape->overflow = 0;
  a->f->vjp(a->slot);
  return tape->overflow ? VV_ERROR_CAPACITY : VV_OK;
}

// checking

typedef struct vvMove {
  const vvKernelArgs* args;
  uint64_t seed;
  double step, sum;
  bool all;  // the seed of written memory, else the direction
} vvMove;

static double next(uint64_t* state) {
  *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
  return (double)(*state >> 11) / 4503599627370496.0 - 1;
}

static double read_real(const void* at, size_t size) {
  return size == sizeof(float) ? (double)*(const float*)at : *(const double*)at;
}

static void write_real(void* at, size_t size, double x) {
  if (size == sizeof(float)) {
    *(float*)at = (float)x;
  } else {
    *(double*)at = x;
  }
}

static void move_real(void* user, int arg, void* real, void* bar, size_t size) {
  (void)arg;
  (void)bar;
  vvMove* m = user;
  write_real(real, size, read_real(real, size) + m->step * next(&m->seed));
}

static void along_direction(void* user, int arg, void* real, void* bar, size_t size) {
  (void)arg;
  (void)real;
  vvMove* m = user;
  m->sum += next(&m->seed) * read_real(bar, size);
}

// Cotangents of written memory, and the value of what they weigh.
static void seed_bar(void* user, int arg, void* real, void* bar, size_t size) {
  vvMove* m = user;
  double w = next(&m->seed);
  const vvKernelType* t = &m->args->f->arg[arg];
  if (!t->pointer || t->constant) return;
  m->sum += w * read_real(real, size);
  if (m->all) write_real(bar, size, w);
}

static void seed_value(vvKernelArgs* a, uint64_t seed, double* sum, bool set) {
  const vvKernelType* t = &a->f->value;
  if (t->kind != VV_KERNEL_REAL) return;
  double w = next(&seed);
  *sum += w * read_real(a->slot[a->f->narg], t->size);
  if (set) write_real(a->slot[a->f->narg + 1], t->size, w);
}

// The weighed sum of all that f gives, argument `arg` moved by `step` along its direction.
static vvStatus functional(const vvKernelRun* r, const vvKernelFunction* f, int point, int arg, double step,
                           double* value) {
  vvReport report;
  vv_report_clear(&report);
  vvKernelArgs a = {.ctx = r->cli->context,
                    .f = f,
                    .seed = 17 + (uint64_t)point,
                    .extent = EXTENT,
                    .report = &report,
                    .file = r->file};
  vvStatus status = vv_kernel_args_random(&a);
  if (status == VV_OK) {
    vvMove m = {&a, 1000 + (uint64_t)arg, step, 0, false};
    vv_kernel_args_visit(&a, arg, move_real, &m);
    f->call(a.slot);
    m = (vvMove){&a, 5, 0, 0, false};
    for (int i = 0; i < f->narg; i++) vv_kernel_args_visit(&a, i, seed_bar, &m);
    seed_value(&a, 9, &m.sum, false);
    *value = m.sum;
  }
  vv_kernel_args_free(&a);
  return status;
}

static vvStatus difference(const vvKernelRun* r, const vvKernelFunction* f, int point, int arg, double* d, double* e) {
  double last = 0;
  *e = INFINITY;
  for (int k = 0; k < 4; k++) {
    double h = 1e-3 / (1 << (2 * k)), v[4], ratio[2];
    for (int i = 0; i < 4; i++) {
      vvStatus status = functional(r, f, point, arg, (i & 1 ? -h : h) / (1 + i / 2), &v[i]);
      if (status != VV_OK) return status;
    }
    ratio[0] = (v[0] - v[1]) / (2 * h);
    ratio[1] = (v[2] - v[3]) / h;
    double x = (4 * ratio[1] - ratio[0]) / 3;
    if (k > 0 && fabs(x - last) < *e) {
      *e = fabs(x - last);
      *d = x;
    }
    last = x;
  }
  return VV_OK;
}

typedef struct vvVerdict {
  double error, derivative, difference;
  int arg, point;
  size_t tape;
  int unresolved, ncompared;
} vvVerdict;

static vvStatus check_point(const vvKernelRun* r, const vvKernelFunction* f, int point, vvTapeMem* tape, vvVerdict* v) {
  vvReport report;
  vv_report_clear(&report);
  vvKernelArgs a = {.ctx = r->cli->context,
                    .f = f,
                    .seed = 17 + (uint64_t)point,
                    .extent = EXTENT,
                    .report = &report,
                    .file = r->file};
  vvStatus status = vv_kernel_args_random(&a);
  double none = 0;
  if (status == VV_OK) {
    vvMove m = {&a, 5, 0, 0, true};
    for (int i = 0; i < f->narg; i++) vv_kernel_args_visit(&a, i, seed_bar, &m);
    seed_value(&a, 9, &none, true);
    status = run_vjp(&a, tape);
    if (tape->peak > v->tape) v->tape = tape->peak;
  }
  for (int i = 0; i < f->narg && status == VV_OK; i++) {
    if (!f->arg[i].active) continue;
    double d = 0, e = 0;
    vvMove m = {&a, 1000 + (uint64_t)i, 0, 0, false};
    vv_kernel_args_visit(&a, i, along_direction, &m);
    status = difference(r, f, point, i, &d, &e);
    double scale = 1e-3 + fabs(d);
    v->ncompared++;
    if (!(e <= 1e-6 * scale)) {
      v->unresolved++;
      continue;
    }
    double error = fabs(m.sum - d) / scale;
    if (!(error <= v->error)) *v = (vvVerdict){error, m.sum, d, i, point, v->tape, v->unresolved, v->ncompared};
  }
  vv_kernel_args_free(&a);
  return status;
}

static int check_function(const vvKernelRun* r, const vvKernelFunction* f, vvTapeMem* tape) {
  if (!vv_kernel_args_possible(f)) {
    printf("%s: takes a model or state: check it with vv check --loss %s:%s\n", f->name, r->file, f->name);
    return 0;
  }
  vvVerdict v = {0};
  vvStatus status = VV_OK;
  for (int point = 0; point < POINTS && status == VV_OK; point++) status = check_point(r, f, point, tape, &v);
  if (status != VV_OK) {
    printf("%s: %s\n", f->name, vv_status_text(status));
    return 1;
  }
  bool bad = !(v.error <= 1e-6);
  if (v.ncompared == 0) {
    printf("%s: no active argument\n", f->name);
  } else if (bad) {
    printf("%s: MISMATCH in argument %s: derivative %.10g, difference %.10g (point %d)\n", f->name, f->arg[v.arg].name,
           v.derivative, v.difference, v.point);
  } else {
    printf("%s: ok, worst argument %s with %.1e at %d points, %zu bytes of tape", f->name, f->arg[v.arg].name, v.error,
           POINTS, v.tape);
    if (v.unresolved) printf(", %d of %d differences unresolved", v.unresolved, v.ncompared);
    printf("\n");
  }
  return bad;
}

static int check_all(vvKernelRun* r) {
  vvTapeMem tape;
  if (tape_create(r->cli->context, &tape) != VV_OK) return vv_cli_error("out of memory");
  int bad = 0;
  for (int i = 0; i < vv_kernel_count(r->kernel); i++) bad += check_function(r, vv_kernel_at(r->kernel, i), &tape);
  vv_free(r->cli->context, tape.base, TAPE);
  return bad ? VV_EXIT_FAILED : VV_EXIT_DONE;
}

// running

static vvStatus print_run(const vvKernelArgs* after, const vvKernelArgs* a) {
  vvJsonOut j = vv_json_begin(stdout);
  const vvKernelFunction* f = a->f;
  vv_json_object(&j);
  vv_json_key(&j, "outputs");
  vv_json_object(&j);
  vv_kernel_args_print_value(after, &j);
  for (int i = 0; i < f->narg; i++)
    if (f->arg[i].pointer && !f->arg[i].constant) vv_kernel_args_print(after, i, false, &j);
  vv_json_end(&j);
  vv_json_key(&j, "grad");
  vv_json_object(&j);
  for (int i = 0; i < f->narg; i++)
    if (f->arg[i].active) vv_kernel_args_print(a, i, true, &j);
  vv_json_end(&j);
  vv_json_end(&j);
  return vv_json_finish(&j) ? VV_OK : VV_ERROR_FILE;
}

// The function on one copy of the arguments, its reverse derivative (which puts written memory back) on another.
static vvStatus run_and_print(vvKernelRun* r, const vvKernelFunction* f, const char* file, const json_t* args,
                              const json_t* seed, vvReport* report) {
  vvContext* ctx = r->cli->context;
  vvTapeMem tape = {0};
  vvKernelArgs after = {.ctx = ctx, .f = f, .extent = 1, .report = report, .file = file}, a = after;
  vvStatus status = vv_kernel_args_json(&after, args);
  if (status == VV_OK) status = vv_kernel_args_json(&a, args);
  if (status == VV_OK && seed) status = vv_kernel_args_seed(&a, seed);
  if (status == VV_OK) status = tape_create(ctx, &tape);
  if (status == VV_OK) {
    f->call(after.slot);
    status = run_vjp(&a, &tape);
  }
  if (status == VV_OK) status = print_run(&after, &a);
  vv_kernel_args_free(&after);
  vv_kernel_args_free(&a);
  if (tape.base) vv_free(ctx, tape.base, TAPE);
  return status;
}

static int run_one(vvKernelRun* r) {
  const char *name = vv_cli_text(r->cli, "run"), *path = vv_cli_text(r->cli, "args");
  const vvKernelFunction* f = vv_kernel_function(r->kernel, name);
  if (!f) return vv_cli_error("%s: has no function '%s'", r->file, name);
  json_error_t error;
  json_t* whole = path ? json_load_file(path, JSON_REJECT_DUPLICATES, &error) : json_pack("{s:{}}", "args");
  if (!whole) return vv_cli_error("%s:%d: %s", path, error.line > 0 ? error.line : 1, error.text);
  const json_t *args = json_object_get(whole, "args"), *seed = json_object_get(whole, "seed");
  int code = 0;
  const char* key;
  json_t* value;
  json_object_foreach(whole, key, value) {
    if (strcmp(key, "args") != 0 && strcmp(key, "seed") != 0)
      code = vv_cli_error("%s: \"%s\" is unknown; \"args\" and \"seed\" are known", path, key);
  }
  if (code == 0 && (!json_is_object(args) || (seed && !json_is_object(seed))))
    code = vv_cli_error("%s: must be {\"args\": {...}, \"seed\": {...}}", path ? path : "--args");
  vvReport report;
  vv_report_clear(&report);
  if (code == 0) {
    vvStatus status = run_and_print(r, f, path ? path : "--args", args, seed, &report);
    code = vv_cli_fail(status, &report, name);
  }
  json_decref(whole);
  return code;
}

// Runs users' code in a child, whose crash becomes one line.
static int in_child(vvKernelRun* r, int (*work)(vvKernelRun*)) {
  fflush(stdout);
  pid_t pid = fork();
  if (pid == 0) {
    int code = work(r);
    fflush(stdout);
    _exit(code);
  }
  int status = 0;
  while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (pid > 0 && WIFEXITED(status)) return WEXITSTATUS(status);
  if (pid > 0 && WIFSIGNALED(status) && WTERMSIG(status) == 2) return VV_EXIT_INTERRUPTED;
  return vv_cli_error(
      "%s: the kernel crashed; look for indices out of bounds, or give arguments that suit it with --run", r->file);
}

// listing

static void list(const vvKernelRun* r) {
  for (int i = 0; i < vv_kernel_count(r->kernel); i++) {
    const vvKernelFunction* f = vv_kernel_at(r->kernel, i);
    printf("%s\n  active:", f->signature);
    int n = 0;
    for (int k = 0; k < f->narg; k++)
      if (f->arg[k].active) printf("%s %s", n++ ? "," : "", f->arg[k].name);
    printf("%s\n  tape: %s\n", n ? "" : " none", f->tape ? "used; --check prints how many bytes" : "none");
  }
}

static void list_json(const vvKernelRun* r) {
  vvJsonOut j = vv_json_begin(stdout);
  vv_json_object(&j);
  vv_json_key(&j, "functions");
  vv_json_array(&j);
  for (int i = 0; i < vv_kernel_count(r->kernel); i++) {
    const vvKernelFunction* f = vv_kernel_at(r->kernel, i);
    vv_json_object(&j);
    vv_json_key(&j, "name");
    vv_json_text(&j, f->name);
    vv_json_key(&j, "signature");
    vv_json_text(&j, f->signature);
    vv_json_key(&j, "active");
    vv_json_array(&j);
    for (int k = 0; k < f->narg; k++)
      if (f->arg[k].active) vv_json_text(&j, f->arg[k].name);
    vv_json_end(&j);
    vv_json_key(&j, "tape");
    vv_json_bool(&j, f->tape);
    vv_json_end(&j);
  }
  vv_json_end(&j);
  vv_json_end(&j);
  vv_json_finish(&j);
}

static int emit(const vvKernelRun* r) {
  const char* what = vv_cli_text(r->cli, "emit");
  if (strcmp(what, "c") != 0) return vv_cli_error("--emit %.20s: not built yet; c is", what);
  FILE* f = fopen(vv_kernel_source(r->kernel), "r");
  if (!f) return vv_cli_error("%s: %s", vv_kernel_source(r->kernel), strerror(errno));
  for (int c = getc(f); c != EOF; c = getc(f)) putchar(c);
  fclose(f);
  return VV_EXIT_DONE;
}

int vv_command_kernel(vvCli* cli) {
  vvKernelRun run = {.cli = cli, .file = cli->position[0]};
  const char* device = vv_cli_text(cli, "device");
  if (device && strcmp(device, "cpu") != 0) return vv_cli_error("--device %.20s: not built yet; cpu is", device);
  if (vv_cli_has(cli, "args") && !vv_cli_has(cli, "run")) return vv_cli_error("--args belongs to --run FUNCTION");
  vvReport report;
  vv_report_clear(&report);
  vvStatus status = vv_kernel_load(cli->context, run.file, vv_cli_text(cli, "run"), NULL, &run.kernel, &report);
  if (status != VV_OK) return vv_cli_fail(status, &report, run.file);
  int code = VV_EXIT_DONE;
  if (vv_cli_has(cli, "emit")) {
    code = emit(&run);
  } else if (vv_cli_has(cli, "run")) {
    code = in_child(&run, run_one);
  } else if (vv_cli_has(cli, "check")) {
    code = in_child(&run, check_all);
  } else if (cli->json) {
    list_json(&run);
  } else {
    list(&run);
  }
  vv_kernel_free(run.kernel);
  return code;
}
