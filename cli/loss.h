// SPDX-FileCopyrightText: The visviva authors
// SPDX-License-Identifier: Apache-2.0
//
// loss.h: what vv grad and vv check share: the LOSS and --wrt arguments.
//
// linear:W.csv, final:QUANTITY and sum:QUANTITY are linear in outputs: they become items, rows and their weights.
// FILE.c:function is a user's kernel (row_loss.h).

#ifndef VISVIVA_CLI_LOSS_H_
#define VISVIVA_CLI_LOSS_H_

#include "cli/inputs.h"
#include "visviva/roll.h"
#include "visviva/row_loss.h"

typedef struct vvLoss {
  vvContext* ctx;
  vvOutputItem* items;  // nitem
  int nitem;
  int nout;
  int* rows;  // nrow   ascending
  int nrow;
  vvReal* outputs_bar;  // nrow x nout   weights
  vvReal* time_bar;     // nrow, NULL: the time does not count
  // a user's kernel; then the weights above are where its cotangents go
  vvKernel* kernel;
  vvRowLoss* row;
  vvReal* data;  // ndata x ndatum
  int ndata, ndatum;
} vvLoss;

// data: the file of --data, NULL: none.
vvStatus vv_loss_parse(vvContext* ctx, const vvModel* m, const char* text, const char* data, int nstep, vvLoss* loss,
                       vvReport* report);
void vv_loss_free(vvLoss* loss);

// A segment of --wrt: a name or pattern, or one of the four words.
typedef struct vvWrtPart {
  char* text;
  int first;  // numbers[first .. first + n - 1]
  int n;
} vvWrtPart;

typedef struct vvWrt {
  vvContext* ctx;
  bool ctrl, qpos0, qvel0, act0;
  int* numbers;  // nnumber   in the order of the command line, each once
  int nnumber;
  int capacity;     // of numbers
  vvWrtPart* part;  // npart     parts that name numbers
  int npart;
  char* text;  // a copy of the argument, cut into parts
  size_t text_bytes;
} vvWrt;

vvStatus vv_wrt_parse(vvContext* ctx, const vvModel* m, const char* text, vvWrt* wrt, vvReport* report);
void vv_wrt_free(vvWrt* wrt);

// Everything that the two commands read; prints the error and returns the exit code. Free in any case.
typedef struct vvGradArguments {
  vvCliScene scene;
  vvLoss loss;
  vvWrt wrt;
  int nstep;
  size_t memory;  // limit of the tape [byte], 0: none
} vvGradArguments;

int vv_grad_arguments(vvCli* cli, vvGradArguments* arguments);
void vv_grad_arguments_free(vvGradArguments* arguments);
vvRolloutInput vv_grad_rollout(const vvGradArguments* arguments);

#endif  // VISVIVA_CLI_LOSS_H_
